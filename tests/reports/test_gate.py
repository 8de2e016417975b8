"""A check as text, JUnit XML and Markdown."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

import bitmeter as bm
from bitmeter.measure.compare import Comparison
from bitmeter.reports.gate import describe_check, junit_xml, markdown_summary

TEXT = b"".join(b"line %d of a small text that goes on and on\n" % (i * 7919 % 1000) for i in range(60))


def renamed(check: bm.Check, name: str) -> bm.Check:
    rows = tuple(replace(row, score=replace(row.score, model=name, text=name)) for row in check.comparison.rows)
    return replace(check, comparison=replace(check.comparison, rows=rows))


@pytest.mark.parametrize(
    ("models", "allow", "words"),
    [
        (("kt", "uniform"), 0.1, "failed: worse than allowed"),
        (("uniform", "kt"), 0.1, "passed: better"),
        (("kt", "kt"), "0.5%", "equal within the 0.0"),
        (("kt", "zlib"), "0.5%", "undecided"),
    ],
)
def test_each_verdict_is_named(models: tuple[str, str], allow: float | str, words: str) -> None:
    text = describe_check(bm.check(*models, on=TEXT, docs="line" if "zlib" not in models else None, allow=allow))
    assert words in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_number_of_documents_that_would_do() -> None:
    middle = bm.compare("kt", "uniform", on=TEXT[:400], docs="line").rows[1].difference
    text = str(bm.check("kt", "uniform", on=TEXT[:400], docs="line", allow=middle * 1.01))
    assert "more lines would do" in " ".join(text.split())


def test_junit_is_xml_with_one_case_per_limit() -> None:
    failed = ET.fromstring(junit_xml(bm.check("kt", "uniform", on=TEXT, docs="line", allow=0.1), 1.5))
    suite = failed[0]
    assert suite.attrib | {"time": ""} == {
        "name": "bitmeter check", "tests": "1", "failures": "1", "errors": "0", "skipped": "0", "time": "",
    }  # fmt: skip
    (case,) = suite
    failure = case.find("failure")
    assert failure is not None
    assert failure.attrib["type"] == "worse"
    undecided = bm.check("kt", "zlib", on=TEXT)
    assert ET.fromstring(junit_xml(undecided))[0].attrib["skipped"] == "1"
    assert ET.fromstring(junit_xml(replace(undecided, strict=True)))[0].attrib["failures"] == "1"


def test_names_are_text_whatever_is_in_them() -> None:
    hostile = "a\x00\x1b[31m<b>&\"'|`x`\ud800 ![i](http://x) \n# h"
    check = renamed(bm.check("kt", "uniform", on=TEXT, docs="line", allow=0.1), hostile)
    tree = ET.fromstring(junit_xml(check).encode("utf-8"))
    name = tree[0][0].attrib["classname"]
    assert "<b>&\"'" in name
    assert "\x1b" not in name
    text = markdown_summary(check)
    table = [line for line in text.splitlines() if line.startswith("| difference")]
    assert len(table) == 1
    assert "<b>" not in text
    assert "![i](" not in text
    assert "\n# h" not in text


def test_markdown_has_a_row_per_limit() -> None:
    text = markdown_summary(bm.check("kt", "kt", on=TEXT, docs="line", kl=0.1, same_top="99%"))
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert [row.split("|")[1].strip() for row in rows] == ["figure", "difference", "mean KL", "different top"]
    assert isinstance(bm.check("kt", "kt", on=TEXT).comparison, Comparison)
