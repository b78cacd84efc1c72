"""What the processor is called, and what it can do."""

from __future__ import annotations

import platform
from pathlib import Path

from threadpoolctl import threadpool_info

CPUINFO = Path("/proc/cpuinfo")
INSTRUCTIONS = {
    "AVX2": "avx2",
    "AVX-512": "avx512f",
    "AMX": "amx_tile",
}  # and Linux's flag for each


def fields() -> dict[str, str]:
    """Return what Linux says of the first processor, or nothing elsewhere."""
    lines = CPUINFO.read_text().split("\n\n")[0].splitlines() if CPUINFO.exists() else []
    return {
        name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }


def has(instructions: str) -> bool | None:
    """Say whether the processor has AVX2, AVX-512 or AMX; None where the system does not tell."""
    flags = fields().get("flags")
    return None if flags is None else INSTRUCTIONS[instructions] in flags.split()


def processor() -> str:
    """Name the processor.

    Clouds hide its name, so its numbers and its instructions stand next to it.
    """
    told = fields()
    name = told.get("model name") or platform.processor() or platform.machine()
    numbers = (
        f" (family {told['cpu family']}, model {told['model']})" if "cpu family" in told else ""
    )
    found = [name if has(name) else f"no {name}" for name in INSTRUCTIONS if has(name) is not None]
    return ", ".join([name + numbers, *found])


def blas_kernel() -> str:
    """Return the processor for which NumPy's BLAS computes, such as SkylakeX, or nothing where it
    does not say.
    """
    kernels = [
        library["architecture"] for library in threadpool_info() if library.get("architecture")
    ]
    return kernels[0] if kernels else ""
