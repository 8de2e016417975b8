"""Make docs/images/entropy.svg: what `bitmeter entropy --sample` prints, as a picture.

python docs/picture.py
"""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console
from rich.text import Text

from bitmeter.measure.survey import survey
from bitmeter.reports import entropy as report
from bitmeter.text.corpus.sample import SAMPLE_NAME, sample_text

TARGET = Path(__file__).parent / "images" / "entropy.svg"


def main() -> None:
    """Write the picture."""
    result = survey(sample_text().encode(), source=SAMPLE_NAME)
    console = Console(record=True, width=80, file=io.StringIO(), highlight=False, force_terminal=True)
    console.print(Text(report.header(result), style="bold"), "\n\n", report.table(result, "bits"), sep="")
    console.print("\n" + report.footer(result, "bits"))
    picture = console.export_svg(title="bitmeter entropy --sample", unique_id="entropy")
    # The fonts of the picture would be fetched from elsewhere: the reader's own will do.
    picture = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)
    TARGET.write_text(picture.replace("Fira Code, monospace", "DejaVu Sans Mono, Menlo, Consolas, monospace"))


if __name__ == "__main__":
    main()
