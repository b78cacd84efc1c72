"""What matrix products would run on."""

from threadpoolctl import threadpool_info


def blas_thread_counts():
    """How many threads each library that multiplies matrices would take now."""
    return {
        library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"
    }
