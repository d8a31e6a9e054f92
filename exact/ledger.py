"""The ledger: a file with a line for each shard that was counted, so that a count can be gone on with and be checked.

The first line says what is counted and how the cube is cut; each other line is the tally of a shard.  All are JSON, and
end with a checksum over the line and the first line.  A line is written, flushed to the disk, and only then relied on;
a last line that was cut short is dropped, and its shard counted again.  A line is accepted when it is, byte for byte,
what would be written for what it says.  One process at a time writes a ledger.

A checksum finds damage, not lies: see `exact.audit`.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from importlib import metadata
from io import BufferedReader
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from exact.rationals import BadInput, read_rational, write_rational
from exact.shards import Job, ShardTally, Sum, fingerprint

try:
    import fcntl
except ImportError:  # a system without file locks
    fcntl = None  # type: ignore[assignment]

__all__ = ["LOCKS", "Damaged", "Header", "Ledger", "read"]

FORMAT: Final = "sqrtdk ledger"
START: Final = f'{{"format":"{FORMAT}",'.encode()
VERSION: Final = 1
LOCKS: Final = fcntl is not None
MAX_LINE: Final = 64 << 20
MAX_BYTES: Final = 1 << 30
RELEASE: Final = re.compile(r"[0-9A-Za-z.+_-]{1,40}")
CODE: Final = re.compile(r"[0-9a-f]{16}")
ENTRY_BYTES: Final = 24  # of a score and its count


class Damaged(BadInput):
    """A file is no ledger, or a damaged one; the message says where."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: the job, and the version and the fingerprint of the program that counts it."""

    job: Job
    release: str
    code: str


# ---- lines ----------------------------------------------------------------------------------------------------------


def _line(values: dict[str, object], seal: str) -> bytes:
    body = json.dumps(values, separators=(",", ":")).encode()
    checksum = sha256(seal.encode() + body).hexdigest()[:16]
    return body[:-1] + f',"checksum":"{checksum}"}}\n'.encode()


def _header_line(header: Header) -> bytes:
    job = header.job
    values: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "query": [write_rational(x) for x in job.query],
        "shard_bits": job.bits,
        "shards": job.shards,
        "unit": write_rational(Fraction(1, job.unit)),
        "counted": ["vectors", "sum", "sum_of_squares"] + ["histogram"] * job.histogram,
        "engine": job.engine,
        "release": header.release,
        "code": header.code,
    }
    return _line(values, "")


def _shard_line(shard: ShardTally, seal: str) -> bytes:
    values: dict[str, object] = {
        "shard": shard.index,
        "vectors": shard.count,
        "sum": shard.total,
        "sum_of_squares": shard.squares,
    }
    return _line(values | ({} if shard.histogram is None else {"histogram": shard.histogram}), seal)


def _read_header(line: bytes) -> Header:
    v = json.loads(line)
    if v["version"] != VERSION:
        raise BadInput(f"it has version {json.dumps(v['version'])[:20]} of the format; this program reads {VERSION}")
    query = tuple(read_rational(_text(x)) for x in v["query"])
    job = Job(query, _whole(v["shard_bits"]), "histogram" in v["counted"], _text(v["engine"]))
    header = Header(job, _text(v["release"]), _text(v["code"]))
    if not RELEASE.fullmatch(header.release) or not CODE.fullmatch(header.code):
        raise BadInput("its release or its fingerprint is none")
    if _header_line(header) != line:
        raise BadInput("its first line does not fit its checksum")
    return header


def _read_shard(line: bytes, header: Header, seal: str) -> ShardTally:
    v, job = json.loads(line), header.job
    seen = tuple((_whole(e), _whole(n)) for e, n in v["histogram"]) if job.histogram else None
    index, count, total, squares = (_whole(v[key]) for key in ("shard", "vectors", "sum", "sum_of_squares"))
    shard = ShardTally(index, count, total, squares, seen, header.code)
    if not 0 <= shard.index < job.shards:
        raise BadInput(f"there is no shard {shard.index}")
    if seen and (any(a >= b for (a, _), (b, _) in pairwise(seen)) or any(n < 1 for _, n in seen)):
        raise BadInput("its histogram does not list each score once, in order, with how many have it")
    if _shard_line(shard, seal) != line:
        raise BadInput("it does not fit its checksum")
    return shard


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("a whole number is expected")
    return value


def _text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError("a text is expected")
    return value


_NOT_A_LINE: Final = (ValueError, TypeError, KeyError, RecursionError)  # BadInput is a ValueError


def _why(error: Exception) -> str:
    return str(error) if isinstance(error, BadInput) else "it is no line of a ledger"


def read(file: BufferedReader, path: str) -> tuple[Header, Iterator[tuple[ShardTally, int]]]:
    """Return the first line, and the shards with the byte at which the line of each ends, in the order of the file.

    Damaged for a line that is not what was written, but for the last one: a process was stopped while it wrote that.
    """
    first = file.readline(MAX_LINE)
    if not first.startswith(START):
        raise Damaged(f"{path} is no ledger: it does not begin as one; name a new file, or a ledger")
    try:
        header = _read_header(first)
    except _NOT_A_LINE as error:
        raise Damaged(f"{path}, line 1: {_why(error)}; no shard can be used without it") from None
    return header, _read_shards(file, path, header, first)


def _read_shards(file: BufferedReader, path: str, header: Header, first: bytes) -> Iterator[tuple[ShardTally, int]]:
    seal, end, number = sha256(first).hexdigest(), len(first), 1
    seen = set[int]()
    while line := file.readline(MAX_LINE):
        number += 1
        try:
            shard = _read_shard(line, header, seal)
        except _NOT_A_LINE as error:
            if not file.read(1):
                return
            raise Damaged(f"{path} is damaged in line {number}: {_why(error)}") from None
        if shard.index in seen:
            raise Damaged(f"{path}, line {number}: shard {shard.index} stands there twice")
        seen.add(shard.index)
        end += len(line)
        yield shard, end


# ---- writing --------------------------------------------------------------------------------------------------------


class Ledger:
    """A ledger open for writing, and locked: `header`, once it has one, and `sum`, all that it holds.

    A new or empty file has no header: `begin` writes it.
    """

    def __init__(self, path: str) -> None:
        """Open, lock and read a ledger; BadInput where another process writes it, Damaged where it is no ledger."""
        self.path = path
        self.header: Header | None = None
        self.sum: Sum | None = None
        self._seal, self._end = "", 0
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            self._lock()
            self._read()
            os.ftruncate(self._file, self._end)
        except BaseException:
            os.close(self._file)
            raise

    def _lock(self) -> None:
        try:
            if fcntl is not None:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._in_use() from None
        except OSError as error:
            raise BadInput(f"{self.path} cannot be locked ({error.strerror}); choose a file on a local disk") from None
        if os.fstat(self._file).st_nlink == 0:  # whoever had it closed it empty, and removed it
            raise self._in_use()

    def _in_use(self) -> BadInput:
        return BadInput(f"{self.path} is in use: another process counts into it; wait for it, or stop it")

    def _read(self) -> None:
        if os.fstat(self._file).st_size == 0:
            return
        with os.fdopen(os.dup(self._file), "rb") as file:
            header, shards = read(file, self.path)
            total = self._start(header, _header_line(header))
            for shard, self._end in shards:
                total.add(shard)

    def _start(self, header: Header, line: bytes) -> Sum:
        self.header, self.sum = header, Sum(header.job)
        self._seal, self._end = sha256(line).hexdigest(), len(line)
        return self.sum

    def begin(self, job: Job) -> Sum:
        """Write the first line of a new ledger, and return the empty sum; BadInput for a ledger that would be huge."""
        size = job.shards * min(job.scores, 1 << job.bits) * ENTRY_BYTES
        if job.histogram and size > MAX_BYTES:
            raise BadInput(
                f"a ledger of these histograms would take about {size / 1e9:.3g} GB, more than the limit of "
                f"{MAX_BYTES / 1e9:.0f} GB; leave --histogram or --resume out"
            )
        try:
            release = metadata.version("sqrtdk")
        except metadata.PackageNotFoundError:
            release = "unknown"
        header = Header(job, release, fingerprint())
        line = _header_line(header)
        self._append(line)
        self._keep_name()
        return self._start(header, line)

    def _keep_name(self) -> None:
        """Have the name of a new file on the disk as well, where the system can."""
        with suppress(OSError):
            folder = os.open(Path(self.path).parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def add(self, shard: ShardTally) -> None:
        """Write a shard, see it on the disk, and add it; OSError, and not added, where it cannot be written."""
        if self.sum is None:
            raise ValueError("a ledger begins with its first line")
        self._append(_shard_line(shard, self._seal))
        self.sum.add(shard)

    def _append(self, line: bytes) -> None:
        left = memoryview(line)
        try:
            while left:
                left = left[os.write(self._file, left) :]
            os.fsync(self._file)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, self._end)
            raise OSError(error.errno, error.strerror, self.path) from None
        self._end += len(line)

    def close(self) -> None:
        """Close the file, which unlocks it; a ledger that was never begun is not left behind."""
        if self._end == 0:
            with suppress(OSError):
                Path(self.path).unlink()
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
