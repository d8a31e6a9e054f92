"""C compiled on the spot, the limit that the engines are held against; see cube.c."""

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Compiled", "compile_c"]

LOW = 12


class Compiled:
    """The functions of cube.c for queries of ones."""

    def __init__(self, library: Any) -> None:
        self.library = library

    def power_sums(self, d: int) -> tuple[int, int]:
        """Return Σ e and Σ e² over the cube, d from 14 to 31, in 16-bit integers."""
        row, a = (n - 2 * _counts(n, np.int16) for n in (LOW, d - LOW))
        sums = np.zeros(2, np.int64)
        self.library.lanes(_at(row), _long(row), _at(a), _long(a), _at(sums))
        return int(sums[0]), int(sums[1])

    def sliced_power_sums(self, d: int) -> tuple[int, int]:
        """Return the same, bit by bit."""
        row, a = _counts(LOW, np.int16), _counts(d - LOW, np.int16)
        bits = np.array([np.packbits((row >> j & 1).astype(np.uint8), bitorder="little") for j in range(5)])
        planes = bits.reshape(5, -1, 32).transpose(1, 0, 2).ravel()
        room = np.zeros(planes.size + 32, np.uint8)
        table = room[-room.ctypes.data % 32 :][: planes.size]
        table[:] = planes
        sums = np.zeros(2, np.int64)
        self.library.sliced(_at(table), ctypes.c_long(row.size // 256), _at(a), _long(a), _at(sums))
        return _of_counts(sums, d)

    def has_products(self) -> bool:
        """Say whether this machine multiplies bytes."""
        return hasattr(self.library, "products")

    def products_power_sums(self, d: int) -> tuple[int, int]:
        """Return the same, in bytes."""
        row, a = _counts(LOW, np.uint8), _counts(d - LOW, np.uint8)
        sums = np.zeros(2, np.int64)
        self.library.products(_at(row), _long(row), _at(a), _long(a), _at(sums))
        return _of_counts(sums, d)

    def histogram(self, d: int) -> dict[int, int]:
        """Return how many vectors have each score."""
        row, a = (np.sort(_counts(n, np.uint8)) for n in (14, d - 14))
        counts = np.zeros(d + 1, np.int64)
        self.library.counted(_at(row), _long(row), _at(a), _long(a), _at(counts))
        return {2 * m - d: int(n) for m, n in enumerate(counts)}

    def pairing(self, d: int) -> bool:
        """Say whether t_r t_s is opposite at vector and partner, for all pairs and vectors."""
        return bool(self.library.pairing(ctypes.c_int(d)))


def compile_c() -> Compiled | None:
    """Compile cube.c for this machine; None where there is no C compiler."""
    if shutil.which("cc") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "cube.so"
        source = Path(__file__).with_name("cube.c")
        subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", "-w", "-o", built, source], check=True)
        return Compiled(ctypes.CDLL(str(built)))


def _of_counts(sums: NDArray[np.int64], d: int) -> tuple[int, int]:
    """Return Σ e and Σ e² from the sums of the counts of minus signs and of their squares."""
    total, squares = map(int, sums)
    return d * 2**d - 2 * total, d * d * 2**d - 4 * d * total + 4 * squares


def _counts(n: int, dtype: type[Any]) -> NDArray[Any]:
    return np.bitwise_count(np.arange(1 << n, dtype=np.uint32)).astype(dtype)


def _at(array: NDArray[Any]) -> Any:
    return array.ctypes.data_as(ctypes.c_void_p)


def _long(array: NDArray[Any]) -> Any:
    return ctypes.c_long(array.size)
