"""The array library: NumPy on the CPU, or CuPy on a GPU. No other file knows the difference."""

import os
from typing import Any

import numpy as np

from .utils.errors import InputError, import_optional


class ArrayLibrary:
    """A stand-in for `numpy` that passes every name on to the library in use.

    A name is looked up once and then kept as a plain attribute, so that `xp.exp` costs no more than
    `np.exp`. The first look-up of all settles which library it is, unless `use` has done so before.
    """

    def use(self, name: str) -> None:
        """Switch to `"numpy"` or `"cupy"` and forget the names looked up so far."""
        if name not in ("numpy", "cupy"):
            raise InputError(f"backend {name!r} is unknown: expected 'numpy' or 'cupy'")
        library = np if name == "numpy" else import_optional("cupy", "npformer[cuda12]")
        if name == "cupy" and not library.is_available():
            raise InputError(
                "CuPy finds no GPU: look at what nvidia-smi says, or use the backend 'numpy'"
            )
        self.__dict__.clear()
        self.library_name = name
        self.library = library

    def __getattr__(self, name):
        if "library" not in vars(self):
            self.use(os.environ.get("NPFORMER_BACKEND") or "numpy")
            return getattr(self, name)
        value = getattr(self.library, name)
        setattr(self, name, value)
        return value


xp = ArrayLibrary()
Array = np.ndarray  # or CuPy's, with the same names


def use_backend(name: str) -> None:
    """Choose the array library, `"numpy"` or `"cupy"`, for every array made from now on.

    Call it before a model is built. The environment variable `NPFORMER_BACKEND` does the same for a
    whole program.

    Raises `InputError` for another name and when CuPy finds no GPU, `MissingExtraError` when CuPy
    is not installed.

    >>> use_backend("numpy")
    >>> use_backend("abacus")
    Traceback (most recent call last):
    npformer.utils.errors.InputError: backend 'abacus' is unknown: expected 'numpy' or 'cupy'
    """
    xp.use(name)


def on_gpu() -> bool:
    """Tell whether arrays live on a GPU."""
    return xp.library_name == "cupy"


def to_device(array: Any) -> Array:
    """Bring a host array, or anything that NumPy can read, to the library in use.

    Raises `InputError` for rows of different lengths.
    """
    try:
        return xp.asarray(array)
    except ValueError as error:
        # NumPy has no class of its own for this error
        if "inhomogeneous" in str(error):
            raise InputError(
                "got rows of different lengths: expected equal ones, pad the shorter with text.pad"
            ) from None
        raise


def to_host(array: Array) -> np.ndarray:
    """Bring an array back as a NumPy array; on the CPU it is the same array.

    >>> to_host(xp.zeros(3)).tolist()
    [0.0, 0.0, 0.0]
    """
    return xp.asnumpy(array) if on_gpu() else np.asarray(array)


DROP_LEVELS = 1 << 16
CACHED_ENTRIES = 1 << 16  # 256 KiB of float32, so that the few arrays of a loop fit in the cache


def drawable_probability(p: float) -> float:
    """Round p < 1 to what `dropout_mask` can draw with 16 random bits.

    That is a multiple of 1 / 65536, below 1.
    """
    # a p close to 1 must not become 1, which would drop everything
    level = min(round(p * DROP_LEVELS), DROP_LEVELS - 1)
    return level / DROP_LEVELS


def dropout_mask(rng: np.random.Generator, shape: tuple[int, ...], p: float) -> Array:
    """Draw a boolean mask that is False with probability `p`, a multiple of 1 / 65536.

    On the CPU 16 random bits decide each value: four values come from one 64-bit draw. On a GPU the
    host's generator gives a seed only, so that its state alone still determines every later draw.
    """
    threshold = round(p * DROP_LEVELS)
    if on_gpu():
        seed = int(rng.integers(2**31))
        device_rng = xp.random.Generator(xp.random.Philox4x3210(seed))
        return device_rng.random(shape, dtype=xp.float32) >= threshold / DROP_LEVELS

    size = int(np.prod(shape))
    words = rng.integers(0, 2**64, (size + 3) // 4, dtype=np.uint64)
    return (words.view(np.uint16)[:size] >= np.uint16(threshold)).reshape(shape)


UNLIKE_ARRAYS = (np.matrix, np.ma.MaskedArray)  # `*` of a matrix is a matrix product


def dtype_kind(x: Any) -> str | None:
    """Return the kind of an array's numbers as NumPy names it, such as "f" for floats.

    What is not an array has the kind None, and so have matrices and masked arrays.

    >>> dtype_kind(np.zeros(2)), dtype_kind([1.0])
    ('f', None)
    """
    if isinstance(x, UNLIKE_ARRAYS):
        return None
    return getattr(getattr(x, "dtype", None), "kind", None)


def describe_type(x: Any) -> str:
    """Return what an error says of the type of x: that of its numbers, or else its own."""
    return f"numbers of type {x.dtype}" if dtype_kind(x) else f"a {type(x).__name__}"


def is_float_array(x: Any) -> bool:
    """Return whether x is an array of float32, float64 or wider floats.

    Sums over a batch overflow, or lose most digits, in float16.
    """
    return dtype_kind(x) == "f" and x.dtype.itemsize >= 4


def read_only(array: Any) -> Any:
    """Return a view of an array that cannot be changed in place; on a GPU the array itself.

    What is not an array is returned as it is.

    >>> y = read_only(np.zeros(2))
    >>> y += 1
    Traceback (most recent call last):
    ValueError: output array is read-only
    """
    if not isinstance(array, np.ndarray):
        return array
    view = array.view()  # so that the array itself, which may be the caller's, stays writable
    view.setflags(write=False)
    return view


def scatter_add(table: Array, ids: Array, rows: Array) -> None:
    """Add `rows[i]` to `table[ids[i]]` in place, for each i; an id may occur many times.

    ids: (N,), rows: (N, D), table: (V, D). On the CPU equal ids are sorted together and each run is
    summed in one pass, which is several times faster than `np.add.at`.

    >>> table = np.zeros((3, 2))
    >>> scatter_add(table, np.array([2, 0, 2]), np.array([[1.0, 2.0], [3.0, 4.0], [10.0, 20.0]]))
    >>> table.tolist()
    [[3.0, 4.0], [0.0, 0.0], [11.0, 22.0]]
    """
    if on_gpu():
        xp.add.at(table, ids, rows)
        return
    order = np.argsort(ids, kind="stable")
    sorted_ids = ids[order]
    # no id is -1, so the first one begins a run too
    starts = np.flatnonzero(np.diff(sorted_ids, prepend=-1))
    table[sorted_ids[starts]] += np.add.reduceat(rows[order], starts, axis=0)


def cache_chunks(length: int) -> list[slice]:
    """Cut an array of `length` entries into chunks to work on one by one.

    On the CPU a chunk is small enough for the cache, so that several passes over it cost little
    more than one. On a GPU it is the whole array.

    >>> cache_chunks(100_000)
    [slice(0, 65536, None), slice(65536, 131072, None)]
    """
    size = max(length, 1) if on_gpu() else CACHED_ENTRIES
    return [slice(start, start + size) for start in range(0, length, size)]


def check_numpy(what: str) -> None:
    """Raise `InputError` when arrays live on a GPU: `what` is done with NumPy alone."""
    if on_gpu():
        raise InputError(
            f"{what} needs NumPy, not a GPU: unset NPFORMER_BACKEND, or use_backend('numpy')"
        )
