"""Narrow models compute on one thread, others on as many as there were, and afterwards all is as before."""

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from npformer.base.threads import threads_for


def blas_thread_counts():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.mark.parametrize(("d_model", "expected"), [(64, {1}), (128, {1}), (256, {2})])
def test_threads_by_width(d_model, expected):
    with threadpool_limits(2, user_api="blas"):
        before = blas_thread_counts()
        with threads_for(d_model):
            assert blas_thread_counts() == expected
        assert blas_thread_counts() == before == {2}
