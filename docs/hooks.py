"""Pages of the documentation that are made when it is built: the tour, the reference, the command line."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import bitmeter
from bitmeter.cli.verbs import VERBS
from bitmeter.tour import markdown as tour_markdown
from bitmeter.tour import topics

ROOT = Path(__file__).parents[1]

#: Modules in the order in which the reference shows them, with a line on each.
MODULES = {
    "theory.information": "Entropy and its kin, of probabilities, counts, samples and densities.",
    "theory.distributions": "Labels and how likely each is.",
    "theory.conditional": "What is likely, given what came before.",
    "theory.joint": "Two or more variables at a time.",
    "theory.impossible": "Why a cross-entropy is infinite.",
    "theory.monte_carlo": "Cross-entropy of densities by sampling.",
    "theory.process_base": "What every process can do.",
    "theory.iid": "Independent draws.",
    "theory.markov": "Markov chains of any order.",
    "theory.hidden": "Hidden Markov processes.",
    "theory.mixtures": "One of several processes, chosen once.",
    "theory.process_rates": "A model of a process: cross-entropy and divergence rates.",
    "theory.process_results": "Verdicts, classes and rates.",
    "theory.typicality": "Convergence to the entropy rate, and typical sets.",
    "theory.examples": "Processes to learn from, ready made.",
    "theory.estimators": "Entropy from samples.",
    "theory.rates": "The entropy rate of one long sample.",
    "measure.scoring": "Measure a model on a text.",
    "measure.score": "What a text costs under a model, and under which conventions.",
    "measure.compare": "Models on the same text.",
    "measure.divergence": "How far the predictions of two models lie apart.",
    "measure.word_surprisals": "What each word of a text cost.",
    "measure.trace": "What each unit cost.",
    "measure.signature": "The conventions of a figure, in one line.",
    "measure.statistics": "How sure a figure is.",
    "coding.prefix": "Codes that give each label a word of bits.",
    "coding.compressing": "Any model as a compressor.",
    "coding.archive": "What an archive says of itself.",
    "coding.proving": "A score against the file that it promises.",
    "coding.verifying": "Whether a model is what a score takes it for.",
    "models.base": "Models by name, and how to add more.",
    "models.ngram": "N-gram models of words and other units.",
    "models.convert": "N-gram models in other formats.",
    "models.sampling": "Text drawn from a model.",
    "models.neural": "Small networks, trained here.",
    "models.neural_curve": "How a network learnt.",
    "models.hf": "Language models of Hugging Face.",
    "models.mixture": "Mixtures of models.",
    "models.cache": "What was said a little while ago.",
    "models.endpoint": "Models behind a server.",
    "models.tables": "Models that need no training.",
    "models.universal": "The model that learns as it reads any text.",
    "text.corpus": "The text that is measured.",
    "errors": "Everything that is raised on purpose.",
}


def tour_pages() -> dict[str, str]:
    """The lessons with the results of now, and a page that lists them."""
    pages = {f"tour/{lesson.name}.md": tour_markdown.page(lesson) for lesson in topics()}
    items = "\n".join(f"{lesson.number}. [{lesson.title}]({lesson.name}.md)" for lesson in topics())
    pages["tour/index.md"] = (
        "# The tour\n\nFrom the information of one event to comparing language models, in short steps. Each has "
        "the formula, the code that computes it, and the result that the code gave when this page was made.\n\n"
        f"{items}\n\nThe same tour runs in the terminal: `bitmeter learn`.\n"
    )
    return pages


def reference_pages() -> dict[str, str]:
    """One page a module, with exactly the public names that live there, and an index of all names."""
    homes: dict[str, list[str]] = {}
    for name, home in bitmeter._HOMES.items():
        homes.setdefault(home, []).append(name)
    ordered = sorted(homes, key=lambda home: (list(MODULES).index(home) if home in MODULES else len(MODULES), home))
    pages: dict[str, str] = {}
    index = ["# Reference\n", "Every name below is `bitmeter.name`; the usual import is `import bitmeter as bm`.\n"]
    for home in ordered:
        short = home.rsplit(".", 1)[-1].strip("_")
        names = sorted(homes[home], key=_line)
        members = "".join(f"        - {name}\n" for name in names)
        options = "    options:\n      show_root_heading: false\n      show_root_toc_entry: false\n"
        if home != "errors":  # of the errors all are shown: whoever catches one looks for it here
            options += f"      members:\n{members}"
        listed = "".join(f"    - {name}\n" for name in names)
        pages[f"reference/{short}.md"] = f"# {short}\n\n::: bitmeter.{home}\n{options}\n<!--\n{listed}-->\n"
        links = ", ".join(f"[`{name}`][bitmeter.{home}.{name}]" for name in names)
        index.append(f"**[{short}]({short}.md)** {MODULES.get(home, '')}<br>{links}\n")
    pages["reference/index.md"] = "\n".join(index)
    return pages


def verbs() -> str:
    """Every verb with its own help."""
    parts = []
    for verb in ("", *(verb for group in VERBS.values() for verb in group)):
        words = ["bitmeter", verb] if verb else ["bitmeter"]
        parts.append(f"## {' '.join(words)}\n\n```text\n{_help(words[1:])}```\n")
    return "\n".join(parts)


def _line(name: str) -> tuple[int, str]:
    """Where a name stands in its module; constants come last."""
    value = getattr(bitmeter, name)
    try:
        return inspect.getsourcelines(value)[1], name
    except TypeError:
        return sys.maxsize, name


def _help(words: list[str]) -> str:
    code = "from bitmeter.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *words, "--help"], capture_output=True, text=True, check=True,
        env={"COLUMNS": "80", "PATH": ""},
    )  # fmt: skip
    return done.stdout


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the made pages into the navigation."""
    for entry in config.nav or []:
        if "Tour" in entry:
            entry["Tour"] = ["tour/index.md", *(f"tour/{lesson.name}.md" for lesson in topics())]
        if "Reference" in entry:
            entry["Reference"] = ["reference/index.md", *(name for name in reference_pages() if "index" not in name)]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the made pages."""
    pages = tour_pages() | reference_pages()
    pages["changelog.md"] = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Fill in what only the program itself can say."""
    # Sessions are fenced as python, for the tests to find them; shown they are sessions.
    markdown = re.sub(r"^(\s*)```python\n(?=\s*>>> )", r"\1```pycon\n", markdown, flags=re.MULTILINE)
    return markdown.replace("<!-- verbs -->", verbs()) if page.file.src_uri == "cli.md" else markdown
