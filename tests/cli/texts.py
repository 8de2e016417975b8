"""The texts that the tests of the command line measure."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

LINES = """\
The wind was in the north, and the harbour lay quite still.
Nobody had seen the old boat since the end of October.
She was, they said, the only boat that never came home late.
On the third day the wind turned, and it began to rain.
It rained on the boats and the nets and the empty market.
Then a boy came running down from the hill above the harbour.
He had seen a sail, he said, a small brown sail, far out.
And so the whole village went down to the water to wait.
"""


def write_texts(folder: Path) -> None:
    """A text, half of it, one with all that is odd, rows, and a folder."""
    (folder / "harbour.txt").write_text(LINES)
    (folder / "half.txt").write_text("".join(LINES.splitlines(keepends=True)[:4]))
    (folder / "odd.txt").write_bytes(b"\xef\xbb\xbfna\xc3\xafve [bold]\r\n\\ tab\there \xff\xfe\r\n\r\nlast line")
    (folder / "empty.txt").write_bytes(b"")
    rows = [{"id": i, "text": line} for i, line in enumerate(LINES.splitlines())]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with (folder / "table.csv").open("w", newline="") as file:  # log-probabilities with a column of wrong bytes
        table = csv.writer(file)
        table.writerow(["piece", "logprob", "bytes"])
        for piece in re.findall(r" ?\S+|\n", LINES):
            table.writerow([piece, -0.5 * len(piece) - 1, len(piece) + piece.startswith(" ")])
    sums = [
        {"question": f"{a} and {b} is", "answer": f" {a + b}", "choices": [f" {a + b}", f" {a * b + 1}"], "label": 0,
         "kind": "even" if a % 2 == 0 else "odd"}
        for a in range(2, 6) for b in range(2, 5)
    ]  # fmt: skip
    (folder / "sums.jsonl").write_text("".join(json.dumps(row) + "\n" for row in sums))
    pairs = [
        {"sentence_good": line, "sentence_bad": " ".join(reversed(line.split())), "UID": "early" if i < 4 else "late"}
        for i, line in enumerate(LINES.splitlines())
    ]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in pairs))
    (folder / "texts").mkdir()
    for number in range(3):
        (folder / "texts" / f"{number}.txt").write_text(LINES[60 * number : 60 * number + 120])
    write_wrong(folder / "wrong")


def write_wrong(folder: Path) -> None:
    """Files that are not what their names say, or not what a command needs."""
    folder.mkdir()
    files: dict[str, bytes] = {
        "binary.bin": bytes(range(256)), "utf16.csv": "item,text\n1,hello world\n".encode("utf-16"),
        "latin.csv": b"item,text\n1,caf\xe9 au lait\n", "dup.csv": b"text,text\na b,c d\n",
        "ragged.csv": b"item,text\n1,a b\n2,c d,e\n", "quote.csv": b'item,text\n1,"a b\n',
        "header.csv": b"item,text\n", "empty.csv": b"", "empty.jsonl": b"", "bad.jsonl": b'{"text": "a"}\n{"text": \n',
        "list.jsonl": b"[1, 2]\n", "number.jsonl": b'{"text": 5}\n',
        "null.jsonl": b'{"text": null}\n{"text": "a b"}\n', "fake.bmn": b"BMN" + bytes(100), "fake.arpa": b"hello\n",
        "fake.bmz": bytes(50), "fake.parquet": b"no", "fake.json": b"{}", "fake.gguf": b"x", "fake.jsonl.gz": b"x",
        "fake.zst": b"x", "ja.txt": "吾輩は猫である。名前はまだ無い。\n".encode(),
    }  # fmt: skip
    for name, data in files.items():
        (folder / name).write_bytes(data)
