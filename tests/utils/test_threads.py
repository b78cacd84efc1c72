"""Narrow models compute on one thread, others on as many as there were, and afterwards all is as
before.
"""

import pytest
from threadpoolctl import threadpool_limits

import npformer as npf
from npformer.cli import main
from npformer.models import Encoder
from npformer.runs import begin
from npformer.tasks import Batches, Objective, mean_loss
from npformer.utils.threads_and_memory import model_width, threads_for
from npformer.visualization import sentence_attention
from tests.blas import blas_thread_counts


@pytest.mark.parametrize(("d_model", "expected"), [(64, {1}), (128, {1}), (129, {2}), (256, {2})])
def test_thread_count_depends_on_width(d_model, expected):
    with threadpool_limits(2, user_api="blas"):
        before = blas_thread_counts()
        with threads_for(d_model):
            assert blas_thread_counts() == expected
        assert blas_thread_counts() == before == {2}


def test_wide_model_uses_at_most_available_cores(monkeypatch):
    monkeypatch.setattr("npformer.utils.threads_and_memory.n_cores", lambda: 1)
    with threadpool_limits(2, user_api="blas"), threads_for(256):
        assert blas_thread_counts() == {1}


def test_wide_model_uses_no_more_threads_than_the_user_set():
    with threadpool_limits(1, user_api="blas"), threads_for(256):
        assert blas_thread_counts() == {1}


def record_thread_counts(monkeypatch, owner, name):
    """Note, at every call of a method, how many threads a matrix product would run on."""
    seen, plain = set(), getattr(owner, name)

    def noted(self, *arguments, **settings):
        seen.update(blas_thread_counts())
        return plain(self, *arguments, **settings)

    monkeypatch.setattr(owner, name, noted)
    return seen


@pytest.mark.parametrize("workers", [1, 2])
def test_narrow_models_and_workers_use_one_thread(make_trainer, monkeypatch, workers):
    trainer = make_trainer(workers=workers)
    if workers == 2:
        trainer._width = 256  # which alone would use all cores
    seen = record_thread_counts(monkeypatch, Objective, "forward")
    with threadpool_limits(2, user_api="blas"):
        next(trainer.updates(1))
        assert seen == {1} and blas_thread_counts() == {2}


@pytest.mark.parametrize("what", ["updates", "held-out loss", "translate", "attention", "step"])
def test_narrow_model_uses_one_thread_in_all_functions(what, monkeypatch, tmp_path, trained_run):
    translator = npf.load(trained_run)
    seen = record_thread_counts(monkeypatch, Encoder, "forward")
    with threadpool_limits(2, user_api="blas"):
        if what == "updates":
            next(begin("copy", folder=tmp_path / "run", d_model=16, n_heads=2, d_ff=8).updates())
        elif what == "held-out loss":
            mean_loss(translator.model, Batches([([4, 5], [5, 4])], batch_tokens=9))
        elif what == "translate":
            translator.translate("the dog")
        elif what == "step":
            main(["step", str(trained_run), "the dog", "--html", str(tmp_path / "step.html")])
        else:
            sentence_attention(translator, "the dog")
    assert seen == {1}


def test_width_of_a_model_is_its_d_model():
    model = npf.Transformer.tiny(100, 90, d_model=24, n_heads=2)
    assert model_width(model.parameters()) == 24
    assert model_width([]) == 1
