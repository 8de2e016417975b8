"""Ray with several nodes on this machine, and what is said where it is not installed.

A cluster takes seconds to start, so that one test does all that needs one; tests/engines has more (make test-engines).
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import bitmeter as bm
from bitmeter._util.jobs import Task
from bitmeter._util.progress import Step
from bitmeter.errors import MissingPackageError
from bitmeter.scale.engines import executor_of
from tests.filter.made import model, rows, write_jsonl


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPackageError, match=r"\.\[ray\]"):
        executor_of(2, "ray")
    with pytest.raises(bm.BitmeterError, match="--engine ray"):
        bm.score("uniform", b"abc", engine="ray")


def content(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def started(cluster: Any, **about: Any) -> Any:
    """One more node. Ray gives it 30 seconds, which a busy machine may need more than once."""
    for _ in range(4):
        try:
            return cluster.add_node(object_store_memory=80 << 20, num_cpus=1, **about)
        except Exception as error:
            if "timed out during startup" not in str(error):
                raise
    pytest.fail("Ray does not start a node: none was up within 30 seconds, four times in a row")


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Two nodes of one processor each, whose processes find the tasks of the tests."""
    import ray
    from ray.cluster_utils import Cluster

    paths = (str(Path(__file__).parent), os.environ.get("PYTHONPATH", ""))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    folder = tempfile.mkdtemp(prefix="bm-")
    Path(tempfile.gettempdir(), "ray").mkdir(exist_ok=True)  # where Cluster writes its address, without making it
    made = Cluster()
    started(made, include_dashboard=False, temp_dir=folder)
    started(made)
    yield made
    ray.shutdown()
    made.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("default")  # those of Ray are its own
def test_a_cluster(cluster: Any, work: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The same bytes as by one process, whoever is killed."""
    name = model(tmp_path)
    _tasks(cluster, work, tmp_path)
    assert capfd.readouterr().out == ""
    _filter_with_a_killed_node(cluster, name, tmp_path)
    _score_and_audit(cluster, name, tmp_path)
    _train_with_a_killed_driver(cluster, tmp_path)


def _tasks(cluster: Any, work: ModuleType, folder: Path) -> None:
    """A process that is killed, and an error with its place."""
    with executor_of(None, "ray", cluster.address) as executor:
        tasks = [Task(number, work.double, (number,)) for number in range(3)]
        tasks += [Task(3, work.fail, ("no luck",), "file 3"), Task(4, work.die_once, (str(folder / "dead"),))]
        found = {ended.number: ended.error or ended.value for ended in executor.run(tasks, print)}
        assert (executor.workers, executor.lost) == (2, 1)
    assert [found[number] for number in (0, 1, 2, 4)] == [0, 2, 4, "done"]
    assert "no luck" in str(found[3])
    assert any("file 3" in note for note in found[3].__notes__)


def _filter_with_a_killed_node(cluster: Any, name: str, folder: Path) -> None:
    source = folder / "in"
    source.mkdir()
    for number in range(4):
        write_jsonl(source / f"{number}.jsonl", [*rows() * (1 + 40 * (6 - number)), "broken"])
    bm.filter_corpus(name, source, folder / "one", max=3.0)
    node = started(cluster)
    killed = threading.Event()

    def kill(step: Step) -> None:
        if not killed.is_set():
            killed.set()
            cluster.remove_node(node, allow_graceful=False)

    bm.filter_corpus(name, source, folder / "two", engine="ray", address=cluster.address, progress=kill, max=3.0)
    assert killed.is_set()
    assert content(folder / "two") == content(folder / "one")


def _score_and_audit(cluster: Any, name: str, folder: Path) -> None:
    lines = folder / "a.txt"
    lines.write_text("".join(f"to be or not to be {number}\n" for number in range(90_000)))
    keywords = {"docs": "line", "engine": "ray", "address": cluster.address}
    assert bm.score(name, lines, **keywords) == bm.score(name, lines, docs="line")
    lines.write_text("".join(f"to be or not to be {number}\n" for number in range(9_000)))
    assert bm.audit(name, lines, **keywords) == bm.audit(name, lines, docs="line")


def _train_with_a_killed_driver(cluster: Any, folder: Path) -> None:
    """The same command goes on from what was done."""
    draw, text, parts = random.Random(5), folder / "train.txt", folder / "two.bmn.parts"
    words = [f"w{number}" for number in range(300)]
    text.write_text("".join(" ".join(draw.choices(words, k=draw.randint(0, 12))) + "\n" for _ in range(90_000)))
    bm.NGram(3).fit(text).save(folder / "one.bmn")
    command = [str(Path(sys.executable).with_name("bitmeter")), "train", str(text), "-o", str(folder / "two.bmn")]
    command += ["--order", "3", "--engine", "ray", "--address", cluster.address]
    driver = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not list(parts.glob("split-*.json")):
        assert driver.poll() is None, driver.stderr.read() if driver.stderr else ""
        time.sleep(0.02)
    driver.send_signal(signal.SIGKILL)
    driver.communicate(timeout=60)
    assert not (folder / "two.bmn").exists()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert (folder / "two.bmn").read_bytes() == (folder / "one.bmn").read_bytes()
    assert not parts.exists()
