"""Signatures and conventions in words. Whole transcripts are in tests/cli/golden/explain.txt."""

from __future__ import annotations

import pytest

import bitmeter as bm
from bitmeter.measure.conventions.registry import CONVENTIONS, convention
from bitmeter.measure.conventions.settings import MEANINGS
from bitmeter.measure.signature import MAY_DIFFER, MUST_AGREE, Signature, differences
from bitmeter.reports.explain import (
    convention_lines,
    explain_conventions,
    explain_difference,
    explain_run_and_tool,
    explain_signature,
    explain_two,
    independent,
    pair_lines,
    refusal,
    run_and_tool_lines,
    signature_lines,
    tools_lines,
    value_in_words,
    value_of,
    value_shown,
)


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ("text", "sha256-0123456789ab.120", "120 bytes, 01234567"),
        ("text", "sha256-0123456789ab.1+sha256-ba9876543210.2", "1 byte, 01234567 + 2 bytes, ba987654"),
        ("text", "joined-0123456789abcdef0123456789a.30.4500", "30 texts, 4,500 bytes, 01234567"),
        ("docs", "line.3.89abcdef", "line, 3 documents"),
        ("interval", "serial-clusters(line) 0.95", "serial-clusters(line), 95 %"),
        ("interval", "none", "none"),
        ("model", "kt/kt-1", "kt (kt-1)"),
        ("model", "org/name-7b/log-0123456789ab", "org/name-7b (log-0123456789ab)"),
        ("units", "bytes/bytes/1", "bytes (bytes/1)"),
        ("units", "hf:org/name/hf/1@89abcdef", "hf:org/name (hf/1@89abcdef)"),
        ("units", "log-vllm/tokens", "log-vllm (tokens)"),
        ("units", "", ""),
        ("first", "bos", "bos"),
    ],
)
def test_values_for_people(key: str, value: str, shown: str) -> None:
    assert value_shown(key, value) == shown


def test_meanings_come_from_their_tables() -> None:
    for key, values in MEANINGS.items():
        for value, meaning in values.items():
            assert value_in_words(key, f"{value}.7.hash" if key == "docs" else value) == meaning
    blocks = "blocks of this text are the observations, and neighbours may be alike"
    assert value_in_words("interval", "serial-blocks(64) 0.95") == blocks
    assert value_in_words("like", "nltk") == " ".join(CONVENTIONS["nltk"].statements)
    assert value_in_words("like", "a tool of a later version") == ""
    assert value_in_words("model", "kt/1") == ""


def test_every_key_is_explained() -> None:
    rows = explain_signature(bm.score("kt", b"to be").signature)
    assert [key for key, _, _ in rows] == [key for key in (*MUST_AGREE, *MAY_DIFFER) if key != "given"]
    assert all(meaning for _, _, meaning in rows)
    assert len(signature_lines(Signature())) >= len(rows) + 3


@pytest.mark.parametrize("key", [key for key in (*MUST_AGREE, *MAY_DIFFER) if key != "schema"])
def test_every_difference_has_a_meaning(key: str) -> None:
    (found,) = differences(Signature(), Signature(**{key: "something else"}))
    assert explain_difference(found)
    assert refusal([found]).startswith(f"{key} differs (")


def test_both_sides_are_named() -> None:
    (found,) = differences(Signature(eos="no"), Signature(eos="yes"))
    no, yes = MEANINGS["eos"]["no"], MEANINGS["eos"]["yes"]
    assert explain_difference(found, "the run", "kenlm") == f"the run: {no}; kenlm: {yes}"


def test_documents_of_another_text_are_no_difference_of_their_own() -> None:
    a, b = Signature(text="x.1", docs="line.1.aa"), Signature(text="y.2", docs="line.2.bb")
    assert [d.key for d in independent(differences(a, b))] == ["text"]
    assert [d.key for d in independent(differences(a, b.but(docs="file.2.bb")))] == ["text", "docs"]
    assert [d.key for d in independent(differences(a, b.but(text="x.1")))] == ["docs"]


def test_the_verdict_on_two_runs() -> None:
    same = Signature()
    assert explain_two(same, same) == ("The two agree in every respect.", [])
    assert explain_two(same, same.but(model="kt"))[0].startswith("The two can be compared")
    assert explain_two(same, same.but(eos="yes", model="kt"))[0].endswith("they disagree on eos.")
    lines = pair_lines(same, same.but(eos="yes", model="kt"))
    assert lines.index("These may differ, and do:") > lines.index("  eos        no ≠ yes")


def test_two_tools() -> None:
    kenlm, srilm, nltk = convention("kenlm"), convention("srilm"), convention("nltk")
    assert (value_of(kenlm, "eos"), value_of(kenlm, "den")) == ("yes", "scored")
    assert [d.key for d in explain_conventions(kenlm, srilm)] == ["eos", "oov"]
    assert explain_conventions(kenlm, nltk) == []
    assert "They score in the same way, but divide and average differently." in tools_lines(kenlm, nltk)
    assert "How they differ:" in tools_lines(kenlm, srilm)


def test_a_run_and_a_tool() -> None:
    signature = bm.score("kt", b"a\nb\n", docs="line").signature
    assert [d.key for d in explain_run_and_tool(signature, convention("kenlm"))] == ["eos", "oov"]
    # Any default context is that of the tool; another window is not.
    windows = Signature(docs="joined-blank", first="skip", ctx="64.32")
    assert explain_run_and_tool(windows, convention("hf-docs")) == []
    assert [d.key for d in explain_run_and_tool(windows, convention("llama.cpp"))] == ["docs", "first", "ctx"]
    assert "How the run differs from kenlm:" in run_and_tool_lines(signature, convention("kenlm"))


def test_a_tool_by_itself() -> None:
    assert convention_lines(convention("nltk")) == [
        "nltk:",
        "  - Two to the mean of −log2 p over all n-grams, sentence ends included.",
        "  - Unknown words are mapped to <UNK>.",
        "  Sets    docs=line, eos=yes, oov=class.",
        "  Needs   a model with an end of sentence and <unk>.",
    ]


def test_the_cost_of_unknown_units_may_differ_where_every_byte_is_paid_for() -> None:
    words = bm.Signature(units="words/words/1", oov="spelled", model="a/1")
    plain = bm.Signature(units="bytes/bytes/1", model="b/1")
    assert "it may differ here, as both pay for every byte" in " ".join(" ".join(pair_lines(words, plain)).split())
    for one in (words, plain):
        alone = {key: meaning for key, _, meaning in explain_signature(one)}
        assert "it may differ from that of another run that pays for every byte" in alone["oov"]
        assert "must" not in alone["units"]
    closed = words.but(oov="class")
    alone = {key: meaning for key, _, meaning in explain_signature(closed)}
    assert "may differ" not in alone["oov"]
    assert "they must be of one kind" in alone["units"]
