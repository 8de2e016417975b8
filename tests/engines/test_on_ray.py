"""Scores and filters on Ray, with two nodes on this machine: the same bytes as by one process, whoever is killed."""

from __future__ import annotations

import functools
import hashlib
import http.server
import importlib
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
from typing import Any

import pytest
import ray
from ray.cluster_utils import Cluster

import bitmeter as bm
from bitmeter._util.jobs import Task
from bitmeter._util.progress import Step
from bitmeter.errors import WorkerError
from bitmeter.scale import pace
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
    Path(tempfile.gettempdir(), "ray").mkdir(exist_ok=True)  # where Cluster writes its address, without making it
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


def lines(path: Path) -> Path:
    draw = random.Random(5)
    words = [f"w{number}" for number in range(300)]
    path.write_text("".join(" ".join(draw.choices(words, k=draw.randint(0, 12))) + "\n" for _ in range(90_000)))
    return path


@pytest.mark.parametrize(
    "about", [{"order": 3}, {"order": 2, "units": "bytes"}, {"order": 4, "prune": (0, 1)}], ids=str
)
def test_a_training(cluster: Any, tmp_path: Path, about: dict[str, Any]) -> None:
    """The bytes of one machine."""
    text = lines(tmp_path / "a.txt")
    bm.NGram(**about).fit(text).save(tmp_path / "one.bmn")
    work = tmp_path / "work"
    bm.NGram(**about).fit(text, engine="ray", address=cluster.address, work=work).save(tmp_path / "two.bmn")
    assert (tmp_path / "two.bmn").read_bytes() == (tmp_path / "one.bmn").read_bytes()
    assert not work.exists()


@pytest.mark.parametrize("stage", ["reading", "sorting", "merging"])
def test_a_training_whose_node_is_killed(cluster: Any, tmp_path: Path, stage: str) -> None:
    text = lines(tmp_path / "a.txt")
    bm.NGram(3).fit(text).save(tmp_path / "one.bmn")
    node = cluster.add_node(num_cpus=1, object_store_memory=80 << 20)
    killed = threading.Event()

    def kill(step: Step) -> None:
        if step.stage.startswith(stage) and not killed.is_set():
            killed.set()
            cluster.remove_node(node, allow_graceful=False)

    bm.NGram(3).fit(text, engine="ray", address=cluster.address, progress=kill, work=tmp_path / "work").save(
        tmp_path / "two.bmn"
    )
    assert killed.is_set()
    assert (tmp_path / "two.bmn").read_bytes() == (tmp_path / "one.bmn").read_bytes()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill", "interrupt"])
def test_a_training_whose_driver_is_ended(cluster: Any, tmp_path: Path, how: signal.Signals) -> None:
    """The same command goes on from the receipts, and gives the bytes of an undisturbed run."""
    text = lines(tmp_path / "a.txt")
    bm.NGram(3).fit(text).save(tmp_path / "one.bmn")
    command = [
        str(Path(sys.executable).with_name("bitmeter")),
        "train",
        str(text),
        "-o",
        str(tmp_path / "two.bmn"),
        "--order",
        "3",
    ]
    command += ["--engine", "ray", "--address", cluster.address]
    driver = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    parts = tmp_path / "two.bmn.parts"
    while not list(parts.glob("split-*.json")):
        assert driver.poll() is None, driver.stderr.read() if driver.stderr else ""
        time.sleep(0.02)
    driver.send_signal(how)
    _, said = driver.communicate(timeout=60)
    assert "Traceback" not in said
    assert not (tmp_path / "two.bmn").exists()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "two.bmn").read_bytes() == (tmp_path / "one.bmn").read_bytes()
    assert not parts.exists()


def test_a_late_task_is_given_out_again(
    cluster: Any, work: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "LEAST", 0.5)
    with executor_of(2, "ray", cluster.address) as executor:
        tasks = [Task(0, work.sleep_once, (str(tmp_path / "late"),))]
        tasks += [Task(number, work.double, (number,)) for number in range(1, 5)]
        found = {ended.number: ended.error or ended.value for ended in executor.run(tasks, print)}
        assert found == {0: "done", 1: 2, 2: 4, 3: 6, 4: 8}
        assert executor.lost == 0


def test_processes_that_keep_a_device(cluster: Any, work: Any, tmp_path: Path) -> None:
    """As many as there are workers, each of which does several tasks; one that is killed is replaced."""
    with executor_of(2, "ray", cluster.address) as executor:
        executor.per_device = True
        found = [ended.value for ended in executor.run([Task(n, work.process, ()) for n in range(8)], print)]
        assert len(found) == 8
        assert len(set(found)) <= 2
        tasks = [Task(n, work.die_once, (str(tmp_path / str(n)),)) for n in range(2)]
        assert [ended.value for ended in executor.run(tasks, print)] == ["done", "done"]
        assert executor.lost >= 2  # more if a node of another test is not known to be gone


def test_processes_on_a_node_that_is_gone(cluster: Any, work: Any) -> None:
    """Ray gives new processes to a node until it has noticed; that is not the fault of a task."""
    with executor_of(2, "ray", cluster.address) as executor:
        executor.per_device = True
        list(executor.run([Task(n, work.process, ()) for n in range(2)], print))
        gone = next(node for node in cluster.list_all_nodes() if not node.head)
        cluster.remove_node(gone, allow_graceful=False)
        cluster.add_node(num_cpus=1, object_store_memory=80 << 20)
        found = list(executor.run([Task(n, work.process, ()) for n in range(8)], print))
        assert all(ended.error is None for ended in found)
        assert {ended.number for ended in found} == set(range(8))


def test_a_network(cluster: Any, tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("".join(f"to be or not to be {number}\n" for number in range(40)))
    name = f"hf:{Path(__file__).parents[1] / 'parity' / 'tiny'}"
    one = bm.score(name, text, docs="line")
    two = bm.score(name, text, docs="line", engine="ray", address=cluster.address, workers=2)
    assert two.nats == pytest.approx(one.nats, rel=1e-6)
    assert (two.tokens, two.bytes) == (one.tokens, one.bytes)


def test_surprisals_and_overlaps(cluster: Any, tmp_path: Path) -> None:
    name = model(tmp_path)
    text = tmp_path / "a.txt"
    text.write_text("".join(f"to be or not to be {number}\n" for number in range(500)))
    keywords = {"engine": "ray", "address": cluster.address}
    one, two = bm.word_surprisals(name, text, docs="line"), bm.word_surprisals(name, text, docs="line", **keywords)
    assert two.nats.tolist() == one.nats.tolist()
    assert two.signature == one.signature
    here, there = bm.overlap(text, text, length=20), bm.overlap(text, text, length=20, **keywords)
    assert (there.covered, there.matches, there.curve) == (here.covered, here.matches, here.curve)


def test_texts_from_a_server(cluster: Any, tmp_path: Path) -> None:
    """Each process fetches the texts of its parts by itself."""
    name = model(tmp_path)
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("".join(f"to be or not to be {n}\n" for n in range(500 * (number + 1))))
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        texts = [f"http://127.0.0.1:{server.server_port}/{number}.txt" for number in range(3)]
        expected = bm.score(name, texts, docs="line")
        assert bm.score(name, texts, docs="line", workers=2) == expected
        assert bm.score(name, texts, docs="line", engine="ray", address=cluster.address) == expected
        bm.NGram(2).fit(texts).save(tmp_path / "one.bmn")
        bm.NGram(2).fit(texts, engine="ray", address=cluster.address, work=tmp_path / "work").save(tmp_path / "two.bmn")
        assert (tmp_path / "two.bmn").read_bytes() == (tmp_path / "one.bmn").read_bytes()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
