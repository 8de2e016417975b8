"""N-gram models counted by several processes: the bytes of one process, whatever the parts, and whoever is killed."""

from __future__ import annotations

import contextlib
import json
import random
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import fsspec
import numpy as np
import pytest

import bitmeter as bm
from bitmeter import _core
from bitmeter._util.jobs import Ended, Executor, Here, Task, TaskReport
from bitmeter.errors import EmptyError, FileFormatError, InputError, SourceError
from bitmeter.models.ngram.estimate.parts import remove_work
from bitmeter.scale import training
from bitmeter.scale.local import LocalPool


def texts(folder: Path) -> list[Path]:
    """Words of very different frequency, blank lines, all kinds of white space, a file without a newline at its end."""
    draw = random.Random(7)
    words = [f"w{number}" for number in range(400)]
    weights = [1.0 / (1 + number) for number in range(400)]

    def line() -> str:
        found = draw.choices(words, weights, k=draw.randint(0, 12))
        return draw.choice(["", " ", "\t"]) + "  ".join(found) + draw.choice(["", " "])

    a, b, c = folder / "a.txt", folder / "b.txt", folder / "c.jsonl"
    a.write_text("".join(line() + "\n" for _ in range(900)))
    b.write_text("\n".join(line() for _ in range(200)) + "\nthe end")
    c.write_text("".join(json.dumps({"text": line()}) + "\n" for _ in range(300)))
    return [a, b, c]


def trained(
    source: Any, path: Path, *, executor: Executor | None = None, part_bytes: int | None = None, **about: Any
) -> bytes:
    """The bytes of a model's file."""
    fitting = {name: about.pop(name) for name in ("docs", "norm", "like", "heldout", "work", "memory") if name in about}
    model = bm.NGram(**about)
    if executor is None:
        fitting.pop("work", None)
        model.fit(source, **fitting)
    else:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(training, "_LEAST", part_bytes or training._LEAST)
            patch.setattr(training, "_MOST", part_bytes or training._MOST)
            patch.setattr("bitmeter.models.ngram.model.ask", lambda *_: executor)
            model.fit(source, workers=2, **fitting)
    model.save(path, force=True)
    return path.read_bytes()


#: Where what a part of the text is may matter.
CASES: list[dict[str, Any]] = [
    {"order": 1},
    {"order": 2},
    {"order": 5},
    {"order": 3, "min_count": 3},
    {"order": 3, "vocab_size": 50},
    {"order": 3, "units": "bytes"},
    {"order": 3, "units": "bytes", "docs": "blank"},
    {"order": 3, "norm": "ccnet"},
    {"order": 3, "like": "lmplz"},
]
#: Where it does not.
MORE_CASES: list[dict[str, Any]] = [
    {"order": 9},
    {"order": 3},
    {"order": 4, "prune": (0, 0, 1)},
    {"order": 5, "prune": (0, 1, 1, 2), "smoothing": "kneser-ney"},
    {"order": 3, "prune": (0, 2), "smoothing": "witten-bell", "min_count": 2},
    {"order": 3, "prune": (0, 0, 1000)},
    {"order": 4, "units": "bytes", "prune": (0, 0, 2)},
    {"order": 4, "smoothing": "kneser-ney"},
    {"order": 3, "smoothing": "kneser-ney:0.7"},
    {"order": 4, "smoothing": "absolute"},
    {"order": 3, "smoothing": "lidstone:0.1"},
    {"order": 3, "smoothing": "maximum-likelihood"},
    {"order": 3, "smoothing": "katz", "prune": (0, 0, 1)},
    {"order": 3, "vocab": ["w1", "w7", "never"]},
    {"order": 3, "units": "characters"},
    {"order": 3, "smoothing": "witten-bell"},
    {"order": 3, "smoothing": "katz"},
    {"order": 3, "smoothing": "stupid-backoff"},
    {"order": 3, "unk_word": True},
]


@pytest.mark.parametrize(
    ("about", "part_bytes"),
    [*((about, size) for about in CASES for size in (3_000, 20_000)), *((about, 20_000) for about in MORE_CASES)],
    ids=str,
)
def test_the_same_bytes(tmp_path: Path, about: dict[str, Any], part_bytes: int) -> None:
    """Many parts and partitions, one after the other in this process."""
    found = texts(tmp_path)[:2]
    one = trained(found, tmp_path / "one.bmn", **about)
    executor = Here()
    executor.workers = 3
    assert trained(found, tmp_path / "two.bmn", executor=executor, part_bytes=part_bytes, **about) == one


@pytest.mark.parametrize(
    "about", [{"order": 2}, {"order": 5, "prune": (0, 0, 1)}, {"order": 3, "units": "bytes"}], ids=str
)
def test_the_same_bytes_by_threads(tmp_path: Path, about: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in parts, and estimated by this process, as for a smoothing that is not done in slices."""
    found = texts(tmp_path)[:2]
    one = trained(found, tmp_path / "one.bmn", **about)
    monkeypatch.setattr(_core, "smooths_in_slices", lambda _: False)
    dying = Dying(-1)
    assert trained(found, tmp_path / "two.bmn", executor=dying, part_bytes=20_000, **about) == one
    assert set(dying.calls) == {"split_part", "sort_part", "merge_partition"}


def test_the_same_bytes_by_processes(tmp_path: Path) -> None:
    """Of rows; all that is between the stages goes with the command."""
    found = texts(tmp_path)[2]
    one = trained(found, tmp_path / "one.bmn", order=3)
    for workers in (2, 3):
        bm.NGram(3).fit(found, workers=workers, work=tmp_path / "work").save(tmp_path / "two.bmn", force=True)
        assert (tmp_path / "two.bmn").read_bytes() == one
        assert not (tmp_path / "work").exists()


def test_several_runs_of_one_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within less memory than the n-grams of a part take."""
    found = texts(tmp_path)[:1]
    write = _core.write_ngram_runs
    sizes: list[int] = []

    def small(*arguments: Any, **keywords: Any) -> Any:
        made = write(*arguments, **{**keywords, "most_keys": 777})
        sizes.append(made[0])
        return made

    monkeypatch.setattr("bitmeter.models.ngram.estimate.parts._core.write_ngram_runs", small)
    assert trained(found, tmp_path / "two.bmn", executor=Here(), order=4) == trained(
        found, tmp_path / "one.bmn", order=4
    )
    assert max(sizes) > 5


class Dying(Here):
    """Ends after some tasks, as when the command is killed or interrupted."""

    def __init__(self, tasks: int) -> None:
        self.left = tasks
        self.calls: list[str] = []

    def run(self, tasks: Any, report: TaskReport) -> Any:
        def limited() -> Any:
            for task in tasks:
                if self.left == 0:
                    raise KeyboardInterrupt
                self.left -= 1
                self.calls.append(task.call.__name__)
                yield task

        return super().run(limited(), report)


#: The tasks of all stages, in order.
STAGES = ["split_part", "sort_part", "merge_partition", "grow_slice", "link_slice", "weigh_slice", "finish_slice"]


@pytest.mark.parametrize("stage", STAGES)
def test_an_interrupted_training_goes_on(tmp_path: Path, stage: str) -> None:
    """In the middle of each stage; what is done is not done again."""
    found = texts(tmp_path)[:2]
    one = trained(found, tmp_path / "one.bmn", order=3)
    about: dict[str, Any] = {"order": 3, "work": tmp_path / "work", "part_bytes": 8_000}
    whole, rest = Dying(-1), Dying(-1)
    assert trained(found, tmp_path / "two.bmn", executor=whole, **about) == one
    assert list(dict.fromkeys(whole.calls)) == STAGES
    tasks = whole.calls.index(stage) + 1
    with pytest.raises(KeyboardInterrupt):
        trained(found, tmp_path / "two.bmn", executor=Dying(tasks), **about)
    rest.workers = 5  # the cut of the first run holds
    assert trained(found, tmp_path / "two.bmn", executor=rest, **about) == one
    assert len(rest.calls) == len(whole.calls) - tasks
    assert not (tmp_path / "work").exists()


def test_a_changed_text_begins_again(tmp_path: Path) -> None:
    found = texts(tmp_path)[:2]
    about: dict[str, Any] = {"order": 3, "work": tmp_path / "work", "part_bytes": 4_000}
    with pytest.raises(KeyboardInterrupt):
        trained(found, tmp_path / "two.bmn", executor=Dying(9), **about)
    found[1].write_text("another text\n" * 50)
    one = trained(found, tmp_path / "one.bmn", order=3)
    assert trained(found, tmp_path / "two.bmn", executor=Here(), **about) == one


#: Each file between the stages, and who reads it.
READERS = {
    "ids-1.npy": "sort_part",
    "words-1.npz": "sort_part",
    "sorted-1.0": "merge_partition",
    "merged-1": "grow_slice",
    "grown-1": "link_slice",
    "linked-1": "weigh_slice 2",
    "weighed-words": "weigh_slice 2",
    "weighed-2-1": "weigh_slice 3",
    "weighed-3-1": "finish_slice",
    "finished-1": "",
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("damage", ["cut", "changed", "emptied", "removed"])
def test_damaged_files_between_the_stages(tmp_path: Path, name: str, damage: str) -> None:
    """Found by their checksums, with the name of the file."""
    found = texts(tmp_path)[:1]
    about: dict[str, Any] = {"order": 3, "work": tmp_path / "work", "part_bytes": 8_000}
    path = tmp_path / "work" / name

    def spoil() -> None:
        data = bytearray(path.read_bytes())
        if damage == "removed":
            path.unlink()
        elif damage == "changed":
            data[len(data) * 2 // 3] ^= 1
            path.write_bytes(data)
        else:
            path.write_bytes(data[: len(data) * 2 // 3] if damage == "cut" else b"")

    class Damaging(Here):
        def run(self, tasks: Any, report: TaskReport) -> Any:
            listed = list(tasks)
            call = listed[0].call.__name__
            if call == "weigh_slice":
                call += f" {listed[0].arguments[2]}"  # the order
            # The words are read between two stages.
            if call == READERS[name] and name != "words-1.npz":
                spoil()
            yield from super().run(listed, report)
            if (name, call) in (("words-1.npz", "split_part"), ("finished-1", "finish_slice")):
                spoil()

    with pytest.raises(FileFormatError, match=name):
        trained(found, tmp_path / "two.bmn", executor=Damaging(), **about)


def test_places_of_errors_are_those_of_the_whole_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one two three\n" * 3000 + "a <unk> b\n" + "four\n" * 3000)
    with pytest.raises(InputError, match="sentence 3001: the word <unk>"):
        trained(path, tmp_path / "m.bmn", executor=Here(), part_bytes=5_000, order=2, work=tmp_path / "work")
    assert not (tmp_path / "work").exists()  # the same command cannot go on


def test_what_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one two\n" * 9)
    with pytest.raises(InputError, match="it is in memory, a stream"):
        bm.NGram(2).fit(b"one two\n", workers=2)
    with pytest.raises(InputError, match="one sentence of all"):
        bm.NGram(2).fit(path, docs="joined", workers=2)
    with pytest.raises(InputError, match="--heldout"):
        bm.NGram(2, "jelinek-mercer").fit(path, workers=2)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "mine.txt").touch()
    with pytest.raises(FileFormatError, match="holds other files, such as mine"):
        bm.NGram(2).fit(path, workers=2, work=tmp_path / "work")


@pytest.mark.parametrize(
    "about",
    [
        {"order": 3, "smoothing": "jelinek-mercer"},
        {"order": 4, "smoothing": "jelinek-mercer", "prune": (0, 0, 1)},
        {"order": 1},
        {"order": 2},
        {"order": 5},
        {"order": 3, "prune": (0, 0, 1)},
        {"order": 3, "units": "bytes"},
        {"order": 3, "min_count": 3},
    ],
    ids=str,
)
def test_a_heldout_text(tmp_path: Path, about: dict[str, Any]) -> None:
    """Weights and discounts are found in the slices as they are in a whole trie."""
    a, b, _ = texts(tmp_path)
    one = trained(a, tmp_path / "one.bmn", heldout=b, **about)
    assert trained(a, tmp_path / "two.bmn", executor=Here(), part_bytes=5_000, heldout=b, **about) == one


def test_another_heldout_text_after_an_interruption(tmp_path: Path) -> None:
    """What was weighed by the discounts of the first text is not used; what was counted is."""
    a, b, _ = texts(tmp_path)
    other = tmp_path / "other.txt"
    other.write_text("w1 w2 w3 w4\n" * 40)
    about: dict[str, Any] = {"order": 3, "work": tmp_path / "work", "part_bytes": 4_000}
    whole = Dying(-1)
    trained(a, tmp_path / "two.bmn", executor=whole, heldout=b, **about)
    with pytest.raises(KeyboardInterrupt):
        trained(a, tmp_path / "two.bmn", executor=Dying(len(whole.calls) - 1), heldout=b, **about)
    one = trained(a, tmp_path / "one.bmn", order=3, heldout=other)
    rest = Dying(-1)
    assert trained(a, tmp_path / "two.bmn", executor=rest, heldout=other, **about) == one
    assert set(rest.calls) == {"weigh_slice", "finish_slice"}


def test_a_second_training_on_the_same_folder(tmp_path: Path) -> None:
    found = texts(tmp_path)[:1]

    class Nested(Here):
        def run(self, tasks: Any, report: TaskReport) -> Any:
            with pytest.raises(FileFormatError, match="another training uses"):
                trained(found, tmp_path / "b.bmn", executor=Here(), order=2, work=tmp_path / "work")
            return super().run(tasks, report)

    trained(found, tmp_path / "a.bmn", executor=Nested(), order=2, work=tmp_path / "work")


def test_a_text_that_changes_while_it_is_read(tmp_path: Path) -> None:
    found = texts(tmp_path)[:1]

    class Writing(Here):
        def run(self, tasks: Any, report: TaskReport) -> Any:
            yield from super().run(tasks, report)
            with found[0].open("a") as file:
                file.write("one more\n")

    with pytest.raises(SourceError, match="has changed while it was read"):
        trained(found, tmp_path / "a.bmn", executor=Writing(), order=2)


def test_killed_processes(tmp_path: Path, work: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of the pool is killed once in each stage; its task is done again."""
    found = texts(tmp_path)[:2]
    one = trained(found, tmp_path / "one.bmn", order=3)

    class Killing(LocalPool):
        def run(self, tasks: Any, report: TaskReport) -> Any:
            def wrapped() -> Any:
                for task in tasks:
                    mark = str(tmp_path / f"{task.call.__name__}.killed")
                    yield Task(task.number, work.killed_once, (mark, task.call, task.arguments), task.place)

            for ended in super().run(wrapped(), report):
                assert isinstance(ended, Ended)
                yield ended

    pool = Killing(2)
    with pool:
        assert trained(found, tmp_path / "two.bmn", executor=pool, order=3, part_bytes=8_000) == one
        assert pool.lost == 7  # split, sort, merge, grow, link, weigh, finish


def test_partitions_are_balanced() -> None:
    """By words that begin n-grams; the beginning of a sentence is one, its end is none."""
    counts = np.array([0, 0, 100, *[10] * 90], dtype=np.uint64)
    cuts = training.cuts_of(counts, 10)
    assert cuts[0] == 0
    assert cuts[-1] == len(counts)
    weights = counts.copy()
    weights[1], weights[2] = 100, 0
    assert max(int(weights[a:b].sum()) for a, b in pairwise(cuts.tolist())) <= 110


def test_texts_by_address(tmp_path: Path) -> None:
    """Through fsspec; each is one part."""
    found = texts(tmp_path)[:2]
    memory = fsspec.filesystem("memory")
    for path in found:
        memory.pipe(f"/training/{path.name}", path.read_bytes())
    addresses = [f"memory://training/{path.name}" for path in found]
    one = trained(addresses, tmp_path / "one.bmn", order=3)
    assert trained(addresses, tmp_path / "two.bmn", executor=Here(), order=3) == one


def test_a_model_that_cannot_be_written_loses_no_work(tmp_path: Path) -> None:
    """The files between the stages stay until the model is saved; then only ours go."""
    text, work = tmp_path / "a.txt", tmp_path / "work"
    text.write_text("one two three\none two\n" * 50)
    model = bm.NGram(3).fit(text, workers=2, work=work)
    with pytest.raises(FileFormatError):
        model.save(tmp_path / "nowhere" / "m.bmn")
    assert (work / "job.json").is_file()
    again = bm.NGram(3).fit(text, workers=2, work=work)
    (work / "notes of mine").touch()
    again.save(tmp_path / "two.bmn")
    assert [path.name for path in work.iterdir()] == ["notes of mine"]
    bm.NGram(3).fit(text).save(tmp_path / "one.bmn")
    assert (tmp_path / "two.bmn").read_bytes() == (tmp_path / "one.bmn").read_bytes()


@pytest.mark.parametrize("left", range(0, 120, 23))
def test_an_interrupted_removal_is_no_obstacle(tmp_path: Path, left: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text, work = tmp_path / "a.txt", tmp_path / "work"
    text.write_text("one two three\none two\n" * 50)
    bm.NGram(3).fit(text, workers=2, work=work)
    removed = 0
    unlink = Path.unlink

    def interrupted(path: Path, missing_ok: bool = False) -> None:
        nonlocal removed
        if removed == left:
            raise KeyboardInterrupt
        removed += 1
        unlink(path, missing_ok=missing_ok)

    with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
        patch.setattr(Path, "unlink", interrupted)
        remove_work(work)
    bm.NGram(3).fit(text, workers=2, work=work).save(tmp_path / "two.bmn")
    assert not work.exists()


def test_a_text_without_a_sentence_leaves_no_folder(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    with pytest.raises(EmptyError):
        bm.NGram(3).fit(tmp_path / "empty.txt", workers=2, work=tmp_path / "work")
    assert not (tmp_path / "work").exists()
