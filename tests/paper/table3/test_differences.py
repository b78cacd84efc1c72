"""Which differences are significant, on numbers made up for it and on chance."""

import numpy as np
import pytest

from npformer.paper.table3.report import STUDENT, paper_sign, significant_sign
from npformer.paper.table3.variants import PAPER, PaperRow


def of(*values):
    return dict(enumerate(values))


def test_runs_of_one_seed_are_compared():
    """Seeds differ far more than the models do, but each seed says the same."""
    assert significant_sign(of(1.0, 5.0, 9.0), of(1.3, 5.2, 9.4)) == 1
    assert significant_sign(of(1.3, 5.2, 9.4), of(1.0, 5.0, 9.0)) == -1
    assert significant_sign(of(1.0, 5.0, 9.0), of(1.5, 4.9, 9.1)) == 0
    assert significant_sign(of(1.0, 2.0), of(1.0, 2.0)) == 0


def test_only_seeds_of_both_count_and_one_is_not_enough():
    base = {0: 1.0, 1: 2.0, 2: 100.0}
    assert significant_sign(base, {0: 1.1, 1: 2.1, 3: 0.0}) == 1
    assert significant_sign(base, {1: 5.0}) == significant_sign(base, {7: 1.0}) == 0


@pytest.mark.parametrize("n", [2, 3, 11])
def test_chance_alone_makes_one_difference_in_twenty(n):
    rng, times = np.random.default_rng(n), 2000
    found = [significant_sign(of(*rng.normal(size=n)), of(*rng.normal(size=n))) for _ in range(times)]
    assert 0.035 < np.mean(np.abs(found)) < 0.065 and abs(np.mean(found)) < 0.025
    assert list(STUDENT) == sorted(STUDENT, reverse=True)


def test_the_paper_calls_two_rows_the_same_as_its_base():
    rows = {key: PaperRow(*scores) for key, scores in PAPER.items()}
    same = {key for key, row in rows.items() if not paper_sign(row, "perplexity")}
    assert same == {("n_heads", 16), ("positions", "learned")}
    assert paper_sign(rows["d_ff", 2], "perplexity") == -1 and paper_sign(rows["d_ff", 2], "bleu") == 1
    assert paper_sign(rows["label_smoothing", 0.2], "bleu") == 0 and paper_sign(rows["dropout", 0.2], "bleu") == -1
