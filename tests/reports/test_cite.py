"""Runs as they are cited."""

from __future__ import annotations

import re
from dataclasses import replace

import bitmeter as bm
from bitmeter.reports.cite import bibtex, in_words, software_bibtex

TEXT = b"to be or not to be\nthat is the question\n"


def test_an_entry_of_bibtex() -> None:
    run = replace(bm.score("kt", TEXT), model="a_b{c}%", text="https://me:word@host/x.txt?key=1")
    entry = bibtex(run, 2026)
    assert entry.startswith(f"@misc{{{run.signature.short},\n  title        = {{a\\_b\\{{c\\}}\\% on ")
    assert "word" not in entry
    assert "key=1" not in entry
    assert "  year         = {2026},\n" in entry
    assert str(run.signature).replace("_", r"\_").replace("|", r"\textbar{}") in entry  # | alone is a dash in LaTeX
    assert f"  key          = {{{run.signature.short}}},\n" in entry  # what BibTeX sorts by, without an author
    # Braces are in pairs, or BibTeX reads on into the next entry.
    plain = re.sub(r"\\[{}]", "", entry)
    assert plain.count("{") == plain.count("}")
    assert "year" not in bibtex(run)
    assert "version = {0.1, 0.2}" in software_bibtex(["0.1", "0.2", "0.1"])


def test_conventions_in_words() -> None:
    words = " ".join(in_words(bm.score("kt", TEXT, docs="line", norm="lower")))
    assert "40 bytes in 2 documents; lower case; each line is a document" in words
    assert "bits per byte" in words
    model = bm.NGram(order=2).fit(TEXT)
    words = " ".join(in_words(bm.score(model, b"to see\n", like="kenlm")))
    assert "bits per token" in words
    assert "closed vocabulary: an unknown word costs <unk> alone" in words
    assert "the conventions of kenlm" in words
    assert max(map(len, in_words(bm.score("kt", TEXT)))) <= 80
