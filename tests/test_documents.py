"""Every piece of code in the lessons, the README and the documentation runs and gives what is written there."""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from bitmeter.tour import Lesson, Statement, _read, run, topics
from bitmeter.tour.exercises import judge

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w])")
#: Words that draw: their output may be left out of the file, for it is a picture of figures checked elsewhere.
DRAWS = re.compile(r"print\((bars|curves)\(")


#: The short form of a signature holds the version, so that it changes with each.
SHORT = re.compile(r"bm1-[0-9a-f]{8}")


def agree(written: str, found: str) -> bool:
    """Whether the text is the same and each number agrees to the decimals that were written; … stands for anything."""
    written, found = (SHORT.sub("bm1-", text) for text in (written, found))
    if "..." in written:
        parts = written.split("...")
        return found.startswith(parts[0]) and found.endswith(parts[-1]) and all(part in found for part in parts)
    if NUMBER.sub("#", written.strip()) != NUMBER.sub("#", found.strip()):
        return False
    for ours, theirs in zip(NUMBER.findall(written), NUMBER.findall(found), strict=True):
        decimals = len(ours.partition(".")[2].partition("e")[0])
        size = 10.0 ** (int(ours.partition("e")[2]) if "e" in ours else 0)
        if abs(float(ours.replace(",", "")) - float(theirs.replace(",", ""))) > 0.5001 * 10.0**-decimals * size:
            return False
    return True


def test_the_comparison_can_fail() -> None:
    assert agree("1.50 bits", "1.4999999 bits")
    assert not agree("1.50 bits", "1.51 bits")
    assert not agree("1.50 bits", "1.50 nats")
    assert not agree("1", "1 2")
    assert agree("seen ... times", "seen 3 times")
    assert not agree("seen ... times", "heard 3 times")


def check(lesson: Lesson) -> int:
    """Run a lesson and compare; the number of statements that were run."""
    number = 0
    for written, done in zip(lesson.blocks, run(lesson), strict=True):
        for ours, theirs in zip(written.statements, done.statements, strict=True):
            number += 1
            assert max(map(len, ours.source.splitlines())) <= 74, f"too long for a terminal: {ours.source}"
            _compare(ours, theirs)
    return number


def _compare(written: Statement, found: Statement) -> None:
    if DRAWS.search(written.source) and not written.output:
        assert "Error" not in found.output
        assert len(found.output.splitlines()) > 2
        assert max(map(len, found.output.splitlines())) <= 78
        return
    assert agree(written.output, found.output), f"{written.source}written: {written.output}found:   {found.output}"


@pytest.mark.parametrize("lesson", topics(), ids=lambda lesson: lesson.name)
def test_lessons_say_what_is_true(lesson: Lesson) -> None:
    assert check(lesson) >= 4


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_pages_say_what_is_true(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = path.read_text(encoding="utf-8")
    assert "```pycon" not in text, "fence sessions as python, so that they are run"
    for name in ("README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    check(_read("00-page.md", "\n\n" + text))
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for command, written in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            if command.startswith(("bitmeter ", "printf ")) and "pip install" not in command:
                _check_command(command, written, tmp_path)


def _check_command(command: str, written: str, folder: Path) -> None:
    """Run a command of a page; where the page shows what it prints, that must be so."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    program = programs / "bitmeter"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from bitmeter.cli import main; main()" "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=folder, check=False,
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "BITMETER_DATA": str(programs / "data")},
    )  # fmt: skip
    assert done.returncode == 0, f"{command}: {done.stderr}"
    if written.strip():
        ours, theirs = ("\n".join(map(str.rstrip, text.strip("\n").splitlines())) for text in (written, done.stdout))
        assert agree(ours, theirs), f"{command}\nwritten:\n{ours}\nfound:\n{theirs}"


@pytest.mark.parametrize("lesson", topics(), ids=lambda lesson: lesson.name)
def test_answers_of_exercises_are_what_the_lesson_computes(lesson: Lesson) -> None:
    names: dict[str, Any] = {}
    list(run(lesson, names))
    assert len(lesson.exercises) >= 2
    for exercise in lesson.exercises:
        found = eval(exercise.check, names)
        answer = exercise.answer
        if answer.value is None:
            word = ("yes" if found else "no") if isinstance(found, bool | np.bool_) else found
            assert word == answer.words[0], exercise.question
        elif math.isinf(answer.value):
            assert found == answer.value
        else:
            # What is written is the value, rounded; and whoever types the value itself is right.
            decimals = len(answer.text.split()[0].partition(".")[2])
            assert found == pytest.approx(answer.value, rel=1e-9, abs=0.5001 * 10.0**-decimals), exercise.question
            assert judge(exercise, repr(float(found))).kind == "right", exercise.question
        assert judge(exercise, answer.words[0] if answer.words else answer.text.split("±")[0]).kind == "right"


def test_the_tour_covers_its_rows_in_order() -> None:
    rows = [row for lesson in topics() for row in lesson.rows]
    assert sorted(rows, key=lambda row: int(row[1:])) == [f"M{k}" for k in range(1, 31)]
    # Those of the first reading in order; those of the second where they belong among them.
    assert [row for row in rows if int(row[1:]) <= 25] == [f"M{k}" for k in range(1, 26)]
    assert [lesson.number for lesson in topics()] == list(range(1, len(topics()) + 1))


def test_the_running_example_is_in_the_tour() -> None:
    shown = {
        statement.source: statement.output
        for lesson in topics()
        for block in run(lesson)
        for statement in block.statements
        if lesson.name in ("entropy", "data", "conditional", "impossible")
    }
    everything = "\n".join(f"{source}{output}" for source, output in shown.items())
    for figure in ("abba      1.5000", "barb      2.5000", "probable  4.2500", "p: 4.2500 bits\nq: 0.6250 bits"):
        assert figure in everything
    assert shown['bm.cross_entropy("baby", p)\n'] == f"{math.inf}\n"
    assert shown["round(p.entropy, 9)\n"] == "2.5\n"


def test_recipes_in_yaml_and_shell() -> None:
    """What no test can run here is at least well-formed: YAML parses, and the shell reads its commands."""
    fence = re.compile(r"^```(yaml|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    found = [(page, *match) for page in PAGES for match in fence.findall(page.read_text(encoding="utf-8"))]
    assert {kind for _, kind, _ in found} == {"yaml", "sh"}
    for page, kind, text in found:
        if kind == "yaml":
            assert list(yaml.safe_load_all(text)), page
        else:
            checked = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
            assert checked.returncode == 0, (page, checked.stderr)


def test_the_job_of_kuberay() -> None:
    """Head and workers have the same pods, and the command is one of ours."""
    page = (ROOT / "docs" / "howto" / "scale.md").read_text(encoding="utf-8")
    job = yaml.safe_load(page.partition("```yaml\n")[2].partition("```")[0])
    cluster = job["spec"]["rayClusterSpec"]
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    assert job["spec"]["entrypoint"].startswith("bitmeter filter ")
    pods = [cluster["headGroupSpec"]["template"], *(group["template"] for group in cluster["workerGroupSpecs"])]
    assert all(pod["spec"]["containers"] and pod["spec"]["volumes"] for pod in pods)
