"""Pages that are generated when the documentation is built: the tour, the reference, the command line."""

from __future__ import annotations

import inspect
import os
import re
import runpy
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

#: The modules of the reference in order, with a line on each; a test compares them with the public names.
MODULES = {
    "theory.information": "Entropy and its kin, of probabilities, counts, samples and densities.",
    "theory.distributions": "Labels with their probabilities.",
    "theory.conditional": "Probabilities given what came before.",
    "theory.joint": "Two variables at a time.",
    "theory.multivariate": "Several variables at a time.",
    "theory.decomposition": "What two sources say about a target, alone and together.",
    "theory.impossible": "Why a cross-entropy is infinite.",
    "theory.guesses": "What a random guess costs.",
    "theory.monte_carlo": "Cross-entropy of densities by sampling.",
    "theory.processes.base": "What every process can do.",
    "theory.processes.iid": "Independent draws.",
    "theory.processes.markov": "Markov chains of any order.",
    "theory.processes.hidden": "Hidden Markov processes.",
    "theory.processes.mixture": "One of several processes, chosen once.",
    "theory.processes.phases": "Phases of growing length, whose averages never settle.",
    "theory.processes.rates": "A model of a process: cross-entropy and divergence rates.",
    "theory.processes.results": "Verdicts, classes and rates.",
    "theory.processes.typicality": "Convergence to the entropy rate, and typical sets.",
    "theory.processes.curves": "Entropy per symbol and of the next symbol, by length.",
    "theory.processes.averages": "Averages over time and over the ensemble, and autocorrelation.",
    "theory.processes.examples": "Ready-made example processes.",
    "theory.estimators.entropy": "Entropy from samples.",
    "theory.estimators.dependence": "Mutual and multivariate information from samples.",
    "theory.estimators.neighbours": "Densities from samples of real numbers, by nearest neighbours.",
    "theory.estimators.results": "Estimates of information.",
    "theory.estimators.rates": "The entropy rate of one long sample.",
    "theory.estimators.blocks": "Block entropies.",
    "measure.scoring": "Score a model on a text.",
    "measure.score": "The score: sums, counts and conventions.",
    "measure.audit.auditing": "Checks that a figure is what it says.",
    "measure.audit.result": "The result of an audit: verdict, checks and findings.",
    "measure.compare": "Models compared on the same text.",
    "measure.overlap.run": "How much of a text stands in a corpus, or twice in itself.",
    "measure.overlap.result": "Coverage by document and source, and the longest matches.",
    "measure.overlap.index": "The suffix array of a corpus, in a file.",
    "measure.overlap.documents": "Overlap as columns of documents, for filters.",
    "measure.groups.rows": "The groups of a score, such as domains.",
    "measure.groups.table": "Models × groups as a matrix.",
    "measure.answers.choices": "Items with several answers: accuracy and margin.",
    "measure.answers.pairs": "Minimal pairs: which sentence a model prefers.",
    "measure.answers.accuracy": "Shares of items that are right.",
    "measure.gate.check": "A model against a baseline, with an allowance.",
    "measure.gate.sweep": "Many models against one: size, bits, divergence, speed.",
    "measure.gate.limits": "A figure with its interval against a limit.",
    "measure.divergence": "How far the predictions of two models lie apart.",
    "measure.membership.statistics": "Min-K %, Min-K%++, zlib and Binoculars' ratio of documents.",
    "measure.surprisal.words": "The surprisal of each word.",
    "measure.trace.trace": "The cost of each unit.",
    "measure.signature": "The conventions of a figure, in one line.",
    "measure.interval.base": "Confidence intervals.",
    "measure.interval.paired": "Paired tests.",
    "coding.prefix.code": "Prefix codes.",
    "coding.archive.compress": "Any model as a compressor.",
    "coding.archive.header": "The header of an archive.",
    "coding.prove": "A score checked against a file of that length.",
    "data.sets": "Public test sets, fetched when asked.",
    "data.catalogue": "The test sets that are known by name.",
    "filter.run": "Documents kept, dropped or tagged by their scores.",
    "filter.summary": "What a filter did.",
    "hosts.columns": "Scores as columns of Arrow batches, for other engines.",
    "hosts.logs.runs": "Logs of other tools as runs.",
    "reports.notebook.bar": "A progress bar for notebooks and terminals.",
    "reports.html.writer": "A report as one HTML file.",
    "reports.plots.drawing": "Single plots of runs.",
    "models.registry": "Models by name.",
    "models.scheme": "How models are named on the command line.",
    "models.protocols": "What a model is: the classes to inherit from.",
    "models.windows": "How long documents are laid out in windows.",
    "models.session": "A model partway through a text: sessions, batches and steppers.",
    "models.outcomes": "The outcomes of a prediction.",
    "models.coder": "Coding a text by a model.",
    "models.causal.base": "What causal language models share.",
    "models.ngram.model": "N-gram models of words and other units.",
    "models.scored_text": "The cost of each word, as arrays.",
    "models.ngram.state": "The state of an n-gram model after a prefix.",
    "models.ngram.estimate.smoothing": "Smoothing methods.",
    "models.ngram.convert": "N-gram models in other formats.",
    "models.sampling": "Text sampled from a model.",
    "models.sampled": "A sampled text.",
    "models.causal.trained.model": "Small networks, trained here.",
    "models.causal.trained.curve": "The learning curve of a network.",
    "models.causal.hf.model": "Language models of Hugging Face.",
    "models.causal.endpoint.model": "Models behind a server.",
    "models.mixture.model": "Mixtures of models.",
    "models.mixture.cache": "Caches of recent words.",
    "models.mixture.auto": "Mixtures whose parts are chosen by held-out text.",
    "models.baseline.uniform": "All units equally likely.",
    "models.baseline.kt": "Adaptive order 0 over bytes.",
    "models.baseline.table": "A distribution or a conditional table as a model.",
    "models.universal.model": "The adaptive model for any text.",
    "text.corpus.corpus": "The text to be measured.",
    "text.units.base": "Units of a text: the interface.",
    "text.units.words": "Words, with a vocabulary or without.",
    "text.units.named": "Units by name.",
    "errors": "The exceptions of bitmeter.",
}


def tour_pages() -> dict[str, str]:
    """The lessons with their current results, and a page that lists them."""
    pages = {f"tour/{lesson.name}.md": tour_markdown.page(lesson) for lesson in topics()}
    items = "\n".join(f"{lesson.number}. [{lesson.title}]({lesson.name}.md)" for lesson in topics())
    pages["tour/index.md"] = (
        "# The tour\n\nFrom the information of one event to comparing language models, in short steps. Each has "
        "the formula, the code that computes it, the result that the code gave when this page was built, and exercises "
        f"with their solutions.\n\n{items}\n\nThe same tour runs in the terminal: `bitmeter learn` shows it page by "
        "page, checks your answers to the exercises, and goes on where you were. `bitmeter learn 2 --answer 1=7/4` "
        "checks an answer without it.\n"
    )
    return pages


def reference_pages() -> dict[str, str]:
    """One page per module, with exactly the public names that live there, and an index of all names."""
    homes: dict[str, list[str]] = {}
    for name, home in bitmeter._HOMES.items():
        homes.setdefault(home, []).append(name)
    pages: dict[str, str] = {}
    index = ["# Reference\n", "Every name below is `bitmeter.name`, after `import bitmeter as bm` also `bm.name`.\n"]
    for home in sorted(homes, key=lambda home: list(MODULES).index(home) if home in MODULES else len(MODULES)):
        # The whole path, for the last part alone is not unique (models.ngram.model, models.mixture.model).
        path = f"{home.replace('.', '-')}.md"
        names = sorted(homes[home], key=_line)
        members = "".join(f"        - {name}\n" for name in names)
        options = "    options:\n      show_root_heading: false\n      show_root_toc_entry: false\n"
        if home != "errors":  # every error is shown: whoever catches one looks for it here
            options += f"      members:\n{members}"
        listed = "".join(f"    - {name}\n" for name in names)
        pages[f"reference/{path}"] = f"# {home}\n\n::: bitmeter.{home}\n{options}\n<!--\n{listed}-->\n"
        links = ", ".join(f"[`{name}`][bitmeter.{home}.{name}]" for name in names)
        index.append(f"**[{home}]({path})** {MODULES.get(home, '')}<br>{links}\n")
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
    """The line of a name in its module; constants come last."""
    value = getattr(bitmeter, name)
    try:
        return inspect.getsourcelines(value)[1], name
    except TypeError:
        return sys.maxsize, name


def _help(words: list[str]) -> str:
    code = "from bitmeter.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *words, "--help"], capture_output=True, text=True, check=True,
        env={"COLUMNS": "80", "PATH": "", "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    return done.stdout


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the generated pages into the navigation."""
    for entry in config.nav or []:
        if "Tour" in entry:
            entry["Tour"] = ["tour/index.md", *(f"tour/{lesson.name}.md" for lesson in topics())]
        if "Reference" in entry:
            entry["Reference"] = [
                "reference/index.md",
                *(name for name in reference_pages() if name != "reference/index.md"),
            ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    notebook = runpy.run_path(str(ROOT / "docs" / "notebook.py"))
    pages = tour_pages() | reference_pages()
    pages["notebooks/first.md"] = notebook["page"]()
    pages["changelog.md"] = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Fill in what only the program itself can say."""
    # Sessions are fenced as python, for the tests to find them; shown they are sessions.
    markdown = re.sub(r"^(\s*)```python\n(?=\s*>>> )", r"\1```pycon\n", markdown, flags=re.MULTILINE)
    return markdown.replace("<!-- verbs -->", verbs()) if page.file.src_uri == "cli.md" else markdown
