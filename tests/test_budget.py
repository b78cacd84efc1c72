"""npformer stays small: see "Budgets" of tests/budget.py."""

import budget
import pytest


@pytest.mark.parametrize("name", budget.budgets())
def test_lines_are_within_the_budget(name):
    assert budget.sizes()[name] <= budget.budgets()[name]


def test_every_file_is_counted_once():
    assert sum(budget.lines_by_part().values()) == sum(
        (budget.lines_in("npformer") | budget.lines_in("tests")).values()
    )
