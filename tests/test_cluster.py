import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import distributed
import pytest

from exact import cluster as module
from exact.cluster import _close, cluster
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


@contextmanager
def scheduler(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Run the README's first line at a port that is free, until the end of the block; the address."""
    assert SCHEDULER
    port = free_port()
    with process(SCHEDULER[0].replace("8786", str(port)), folder) as started:
        until = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                assert time.monotonic() < until
                time.sleep(0.1)
        yield started, f"tcp://127.0.0.1:{port}"


@contextmanager
def worker(address: str, folder: Path, **environment: str) -> Iterator[None]:
    """Run the README's second line until the end of the block."""
    assert WORKER
    with process(WORKER[0].replace("tcp://127.0.0.1:8786", address), folder, **environment):
        yield


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a scheduler that has no worker yet."""
    with scheduler(tmp_path_factory.mktemp("scheduler")) as (_, found):
        yield found


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait longer than a person does: a worker starts slowly where many tests run."""
    monkeypatch.setattr(module, "CONNECT_SECONDS", 60)
    monkeypatch.setattr(module, "EMPTY_SECONDS", 60)


@contextmanager
def local_cluster() -> Iterator[Any]:
    make: Any = distributed.LocalCluster
    with make(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1") as made:
        yield made


@pytest.mark.usefixtures("patient")
def test_a_local_cluster_counts_and_survives_a_killed_worker() -> None:
    job = Job(tuple(map(Fraction, (3, -1) * 8)), 10, True, "plain")
    found: list[ShardTally] = []
    with local_cluster() as made, cluster(made.scheduler_address) as pool:
        for shard in count_shards(job, range(job.shards), pool):
            found.append(shard)
            if len(found) == 10:
                os.kill(next(iter(made.workers.values())).pid, 9)
    assert sorted(shard.index for shard in found) == list(range(64))
    assert add_up(job, found).total_of_squares == 2**16 * 80


def test_a_cluster_without_workers_is_one_line(
    address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EMPTY_SECONDS", 1)
    assert_refused(capsys, ["count", "--scheduler", address], f"has no worker; start some: dask worker {address}")


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("stale", ["an engine that errs", "no shards"])
def test_a_worker_with_another_version_is_refused(
    stale: str, address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = copy_of_the_program(tmp_path)
    if stale == "no shards":
        (copy / "exact/shards.py").unlink()
    else:
        plain = copy / "exact/engines/plain.py"
        plain.write_text(plain.read_text().replace("total += e", "total += e + 1"))
    ledger = tmp_path / "ledger"
    with worker(address, tmp_path, PYTHONPATH=str(copy)):
        arguments = ["count", "--engine", "plain", "--scheduler", address, "--resume", str(ledger)]
        assert_refused(capsys, arguments, "runs another version of the program")
    assert not ledger.exists()


@pytest.mark.usefixtures("patient")
def test_the_lines_of_the_readme_start_a_cluster_that_counts(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = tmp_path / "ledger"
    command = ["count", "--width", "18", "--engine", "plain", "--scheduler", address, "--resume", str(ledger)]
    with worker(address, tmp_path):
        code, out, err = run(capsys, *command, "--json")
    assert (code, err) == (0, ""), (tmp_path / "log").read_text()
    found = json.loads(out)
    assert (found["sum_of_squares"], found["scheduler"]) == (str(2**18 * 18), address)
    assert 1 <= found["workers"] <= 2
    assert run(capsys, "verify", str(ledger), "--shards", "1")[0] == 0


@pytest.mark.usefixtures("patient")
def test_a_scheduler_that_is_lost_is_one_line_and_keeps_what_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CONNECT_SECONDS", 10)  # for so long Dask also tries to come back
    job = Job((Fraction(1),) * 30, 12, engine="plain")
    found: list[ShardTally] = []
    with scheduler(tmp_path) as (started, address), worker(address, tmp_path), cluster(address) as pool:
        shards = count_shards(job, range(job.shards), pool)
        found.append(next(shards))
        monkeypatch.setattr(module, "EMPTY_SECONDS", 2)
        started.kill()
        with pytest.raises(WorkersLost, match=f"the scheduler at {address} is gone"):
            found.extend(shards)
    assert len({shard.index for shard in found}) == len(found)


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


def test_a_client_that_fails_in_closing_is_closed_all_the_same() -> None:
    class Client:
        status = "running"

        def close(self, timeout: float) -> None:
            raise RuntimeError("dictionary changed size during iteration")

    client = Client()
    _close(client)
    assert client.status == "closed"
