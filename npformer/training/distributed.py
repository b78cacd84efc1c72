"""Several processes that train one model."""


class Communicator:
    """A single process."""

    rank, size = 0, 1

    def allreduce(self, array) -> None:
        """Sum an array over all ranks, in place."""

    def bcast(self, value):
        """Return the value of rank 0."""
        return value

    def allgather(self, value) -> list:
        """Return the values of all ranks."""
        return [value]

    def barrier(self) -> None:
        """Wait for all ranks."""


def get_communicator() -> Communicator:
    """Return the communicator of this process."""
    return Communicator()
