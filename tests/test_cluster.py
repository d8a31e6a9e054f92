import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import distributed
import pytest

from exact import cluster as module
from exact.cluster import cluster
from exact.rationals import BadInput
from exact.shards import Job, ShardTally, add_up
from exact.workers import WorkersLost, count_shards
from tests.command import assert_refused, run
from tests.test_workers import copy_of_the_program

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
SCHEDULER, WORKER = (re.search(rf"^dask {name} .*$", README, re.MULTILINE) for name in ("scheduler", "worker"))


def free_port() -> int:
    with socket.socket() as here:
        here.bind(("127.0.0.1", 0))
        port: int = here.getsockname()[1]
        return port


@contextmanager
def process(line: str, folder: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command line of Dask's until the end of the block."""
    program, *arguments = shlex.split(line)
    command = [str(Path(sys.executable).with_name(program)), *arguments]
    with (
        (folder / "log").open("ab") as log,
        subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env={**os.environ, **environment}) as started,
    ):
        try:
            yield started
        finally:
            started.terminate()


@pytest.fixture
def lines() -> tuple[str, str, str]:
    """Return the README's two lines, at a port that is free, and the address."""
    assert SCHEDULER
    assert WORKER
    port = str(free_port())
    return SCHEDULER[0].replace("8786", port), WORKER[0].replace("8786", port), f"tcp://127.0.0.1:{port}"


@contextmanager
def local_cluster() -> Iterator[Any]:
    make: Any = distributed.LocalCluster
    with make(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as made:
        yield made


def test_a_local_cluster_counts_and_survives_a_killed_worker() -> None:
    job = Job(tuple(map(Fraction, (3, -1) * 9)), 12, True, "plain")
    found: list[ShardTally] = []
    with local_cluster() as made, cluster(made.scheduler_address) as pool:
        assert pool.workers() == 2
        for shard in count_shards(job, range(job.shards), pool):
            found.append(shard)
            if len(found) == 10:
                os.kill(next(iter(made.workers.values())).pid, 9)
    assert sorted(shard.index for shard in found) == list(range(64))
    assert add_up(job, found).total_of_squares == 2**18 * 90


def test_the_lines_of_the_readme_start_a_cluster_that_counts(
    lines: tuple[str, str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scheduler, worker, address = lines
    ledger = tmp_path / "ledger"
    command = ["count", "--width", "18", "--engine", "plain", "--scheduler", address, "--resume", str(ledger)]
    with process(scheduler, tmp_path), process(worker, tmp_path):
        code, out, err = run(capsys, *command, "--json")
    assert (code, err) == (0, ""), (tmp_path / "log").read_text()
    found = json.loads(out)
    assert (found["sum_of_squares"], found["scheduler"]) == (str(2**18 * 18), address)
    assert 1 <= found["workers"] <= 2
    assert run(capsys, "verify", str(ledger), "--shards", "1")[0] == 0


def test_a_worker_with_another_version_is_refused(
    lines: tuple[str, str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scheduler, worker, address = lines
    copy = copy_of_the_program(tmp_path)
    plain = copy / "exact/engines/plain.py"
    plain.write_text(plain.read_text().replace("total += e", "total += e + 1"))
    with process(scheduler, tmp_path), process(worker, tmp_path, PYTHONPATH=str(copy)):
        arguments = ["count", "--engine", "plain", "--scheduler", address, "--resume", str(tmp_path / "ledger")]
        assert_refused(capsys, arguments, "a worker runs another version of the program")
    assert (tmp_path / "ledger").read_bytes().count(b"\n") == 1


def test_a_cluster_that_is_lost_is_one_line_and_keeps_what_is_done(
    lines: tuple[str, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler, worker, address = lines
    monkeypatch.setattr(module, "EMPTY_SECONDS", 3)
    job, found = Job((Fraction(1),) * 30, 12, engine="plain"), []
    with ExitStack() as stack:
        started = stack.enter_context(process(scheduler, tmp_path))
        stack.enter_context(process(worker, tmp_path))
        with cluster_when_ready(address) as pool:
            shards = count_shards(job, range(job.shards), pool)
            found.append(next(shards))
            started.kill()
            with pytest.raises(WorkersLost, match=f"the scheduler at {address} is gone"):
                found.extend(shards)
    assert len({shard.index for shard in found}) == len(found)


@contextmanager
def cluster_when_ready(address: str) -> Iterator[Any]:
    """Connect once the worker of a cluster has come, which takes longer than the wait that the test allows."""
    until = time.monotonic() + 30
    while True:
        try:
            connection = cluster(address)
            pool = connection.__enter__()
            break
        except WorkersLost:
            assert time.monotonic() < until
    try:
        yield pool
    finally:
        connection.__exit__(None, None, None)


def test_a_cluster_without_workers_is_one_line(
    lines: tuple[str, str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler, _, address = lines
    monkeypatch.setattr(module, "EMPTY_SECONDS", 1)
    with process(scheduler, tmp_path):
        assert_refused(capsys, ["count", "--scheduler", address], f"has no worker; start some: dask worker {address}")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:{port}", "127.0.0.1:{port}", "nonsense", "", "http://", "tcp://"])
def test_a_scheduler_that_is_not_there_is_one_line(
    address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CONNECT_SECONDS", 0.5)
    arguments = ["count", "--scheduler", address.format(port=free_port())]
    assert_refused(capsys, arguments, "no scheduler answers at ")


def test_without_dask_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BadInput, match="--scheduler needs Dask: pip install"), cluster("tcp://127.0.0.1:8786"):
        pass
