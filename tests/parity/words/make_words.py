"""What minicons gives for the words of tests/parity/tiny: run it on the same model and texts, and keep the figures.

Needs, beside bitmeter: minicons. Type: python tests/parity/words/make_words.py > tests/parity/words/words.json
"""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path

TINY = Path(__file__).parents[1] / "tiny"
#: Texts without a newline or two spaces in a row, on which minicons and a split at spaces agree.
TEXTS = [
    text
    for text in (json.loads(line)["text"] for line in (TINY / "texts.jsonl").read_text(encoding="utf-8").splitlines())
    if text == " ".join(text.split()) and len(text.split()) > 1
]


def main() -> None:
    """Run it with and without BOS, and with and without its correction."""
    from minicons import scorer

    tool = scorer.IncrementalLMScorer(str(TINY), "cpu")
    found = {"versions": {name: importlib.metadata.version(name) for name in ("minicons", "torch", "transformers")}}
    rows = []
    for text in TEXTS:
        row: dict[str, object] = {"text": text}
        for bos in (False, True):
            for corrected in (False, True):
                ((*words,),) = tool.word_score_tokenized(
                    [text], lambda line: line.split(" "), bow_correction=corrected, bos_token=bos, surprisal=True
                )
                row["words"] = [word for word, _ in words]
                name = ("bos" if bos else "plain") + (" corrected" if corrected else "")
                row[name] = [float(value) for _, value in words]
        rows.append(row)
    print(json.dumps({**found, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
