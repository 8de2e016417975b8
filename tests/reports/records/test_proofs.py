from __future__ import annotations

import bitmeter as bm
from bitmeter.reports.records.proofs import proof_paper, proof_records

TEXT = b"to be or not to be, that is the question\n" * 4


def test_rows_hold_what_the_proof_says() -> None:
    proofs = [bm.prove(name, TEXT) for name in ("kt", "uniform")]
    table = proof_records(proofs)
    names = [column.name for column in table.columns]
    for proof, row in zip(proofs, table.rows, strict=True):
        found = dict(zip(names, row, strict=True))
        assert found["bits"] == proof.score.bits
        assert found["file_bits"] == proof.file_bits
        assert found["difference_bits"] == proof.file_bits - proof.score.bits
        assert found["holds"] is True
        assert found["bytes"] == found["units"] == len(TEXT)
    assert proofs[1].score.bits == 8 * len(TEXT)  # log2 256 for each byte


def test_the_table_of_a_paper_names_each_signature_once() -> None:
    proof = bm.prove("kt", TEXT)
    table = proof_paper([proof, proof])
    assert " ".join(table.caption).count(proof.score.signature.short) == 1
    assert [row[-1] for row in table.rows] == ["yes", "yes"]
