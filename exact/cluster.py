"""A Dask cluster as workers: its scheduler shares the shards out, and gives those of a dead worker to another.

Dask comes with `pip install -e '.[cluster]'`; it is imported only when a scheduler is named.
"""

import logging
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final

from exact.rationals import BadInput
from exact.shards import fingerprint
from exact.workers import Pool, WorkersLost, other_version

__all__ = ["cluster"]

CONNECT_SECONDS: Final = 5
EMPTY_SECONDS: Final = 15
LOOK_SECONDS: Final = 0.2
IN_FLIGHT: Final = 256  # more than a cluster has threads; the scheduler keeps those that wait


@contextmanager
def cluster(address: str) -> Iterator[Pool]:
    """Connect to a scheduler, such as tcp://127.0.0.1:8786, and yield the threads of its workers as a pool.

    BadInput where none answers within 5 seconds, a worker has another version of the program, or Dask is missing.  A
    cluster without any worker is waited for, at the start as later, for 15 seconds; then WorkersLost.
    """
    try:
        import distributed
    except ImportError:
        raise BadInput("--scheduler needs Dask: pip install -e '.[cluster]'") from None
    for name in ("distributed", "distributed.client"):  # what goes wrong is said once, in our own words
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about versions of libraries: each shard says which program counted it
        try:
            connect: Any = distributed.Client
            client = connect(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            said = str(error).split("\n", 1)[0][:120] or type(error).__name__
            raise BadInput(
                f"no scheduler answers at {address[:80]} ({said}); start one there: dask scheduler"
            ) from None
    try:
        look = partial(_look, client, address)
        look()
        _same_version(client)
        # pure=False: a shard that is asked for again is counted again, where Dask would give back what failed before
        yield Pool(partial(client.get_executor, pure=False), IN_FLIGHT, partial(_threads, client), look)
    finally:
        _close(client)


def _close(client: Any) -> None:
    """Close a client; one whose scheduler is gone may fail in closing, and would again when it is collected."""
    try:
        client.close(timeout=CONNECT_SECONDS)
    except (OSError, RuntimeError, TimeoutError):
        client.status = "closed"


def _same_version(client: Any) -> None:
    """Refuse a worker that has another version of this program, or none: it may not even understand what is asked."""

    def version() -> str:  # it goes to the worker as code, since a worker may lack any module of ours
        try:
            from exact.shards import fingerprint
        except ImportError:
            return "without shards, or not installed"
        return fingerprint()

    for worker, found in client.run(version, on_error="return").items():
        if found != fingerprint():
            raise other_version(f"the worker at {worker}", found)


def _threads(client: Any) -> int:
    """Return how many shards the workers count at a time; 0 where nobody answers."""
    with suppress(OSError, RuntimeError):
        return sum(client.nthreads().values())
    return 0


def _look(client: Any, address: str) -> None:
    """Return when the scheduler answers and has a worker; WorkersLost after 15 seconds without."""
    until = time.monotonic() + EMPTY_SECONDS
    while time.monotonic() < until and client.status != "closed":
        if client.status == "running" and _threads(client):
            return
        time.sleep(LOOK_SECONDS)
    if client.status == "running":
        raise WorkersLost(f"the scheduler at {address} has no worker; start some: dask worker {address}")
    raise WorkersLost(f"the scheduler at {address} is gone")
