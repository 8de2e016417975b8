"""Scores and filters on Ray, with two nodes on this machine: the same bytes as by one process, whoever is killed."""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ray
from ray.cluster_utils import Cluster

import bitmeter as bm
from bitmeter._util.jobs import Task
from bitmeter._util.progress import Step
from bitmeter.errors import WorkerError
from bitmeter.scale.engines import executor_of
from tests.filter.made import model, rows, write_jsonl

pytestmark = pytest.mark.filterwarnings("default")

TASKS = Path(__file__).parents[1] / "scale"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of one processor each, whose processes find the tasks of the tests."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(TASKS), before)))
    folder = tempfile.mkdtemp(prefix="bm-")
    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "include_dashboard": False, "temp_dir": folder, "object_store_memory": 80 << 20},
    )
    made.add_node(num_cpus=1, object_store_memory=80 << 20)
    yield made
    ray.shutdown()
    made.shutdown()
    shutil.rmtree(folder, ignore_errors=True)
    os.environ.pop("PYTHONPATH") if before is None else os.environ.__setitem__("PYTHONPATH", before)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TASKS))
    return importlib.import_module("pool_tasks")


def corpus(folder: Path) -> Path:
    (folder / "in").mkdir()
    for number in range(6):
        write_jsonl(folder / "in" / f"{number}.jsonl", [*rows() * (1 + 40 * (6 - number)), "broken"])
    return folder / "in"


def content(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_tasks_errors_and_killed_processes(cluster: Any, work: Any, tmp_path: Path, capfd: Any) -> None:
    with executor_of(None, "ray", cluster.address) as executor:
        tasks = [Task(number, work.double, (number,)) for number in range(5)]
        tasks += [Task(5, work.fail, ("no luck",)), Task(6, work.die, (0,), "file 6")]
        tasks += [Task(number, work.die_once, (str(tmp_path / str(number)),)) for number in (7, 8)]
        found = {ended.number: ended.error or ended.value for ended in executor.run(tasks, print)}
        assert executor.workers == 2
        assert executor.lost == 3 + 2
    assert [found[number] for number in range(5)] == [0, 2, 4, 6, 8]
    assert "no luck" in str(found[5])
    assert isinstance(found[6], WorkerError)
    assert "file 6" in str(found[6])
    assert (found[7], found[8]) == ("done", "done")
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("rule", [{"max": 3.0}, {"keep": "30%"}], ids=str)
def test_a_filter(cluster: Any, tmp_path: Path, rule: dict[str, Any]) -> None:
    name, source = model(tmp_path), corpus(tmp_path)
    bm.filter_corpus(name, source, tmp_path / "one", **rule)
    bm.filter_corpus(name, source, tmp_path / "two", engine="ray", address=cluster.address, **rule)
    assert content(tmp_path / "two") == content(tmp_path / "one")


def test_a_score(cluster: Any, tmp_path: Path) -> None:
    lines = tmp_path / "a.txt"
    lines.write_text("".join(f"to be or not to be {number}\n" for number in range(200_000)))
    name = model(tmp_path)
    expected = bm.score(name, lines, docs="line")
    assert bm.score(name, lines, docs="line", engine="ray", address=cluster.address) == expected


def test_a_node_that_is_killed(cluster: Any, tmp_path: Path) -> None:
    """In the middle of the work; what it had is done by the other."""
    name, source = model(tmp_path), corpus(tmp_path)
    bm.filter_corpus(name, source, tmp_path / "one", max=3.0)
    node = cluster.add_node(num_cpus=1, object_store_memory=80 << 20)
    killed = threading.Event()

    def kill(step: Step) -> None:
        if not killed.is_set():
            killed.set()
            cluster.remove_node(node, allow_graceful=False)

    bm.filter_corpus(name, source, tmp_path / "two", engine="ray", address=cluster.address, progress=kill, max=3.0)
    assert killed.is_set()
    assert content(tmp_path / "two") == content(tmp_path / "one")


def test_a_cluster_of_our_own_leaves_nothing(work: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Started for the work, whatever clusters there are; its files are removed."""
    monkeypatch.setenv("PYTHONPATH", str(TASKS))
    made: list[str] = []
    make = tempfile.mkdtemp

    def remembered(*arguments: Any, **keywords: Any) -> str:
        made.append(make(*arguments, **keywords))
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", remembered)
    with executor_of(2, "ray") as executor:
        found = sorted(ended.value for ended in executor.run([Task(n, work.double, (n,)) for n in range(3)], print))
    assert found == [0, 2, 4]
    assert not ray.is_initialized()
    assert made
    assert not any(os.path.exists(path) for path in made)


def test_an_address_without_a_cluster() -> None:
    with pytest.raises(WorkerError, match=r"127\.0\.0\.1:1"), executor_of(2, "ray", "127.0.0.1:1") as executor:
        list(executor.run([], print))
