"""The options that several verbs share, each defined once, and the checks that go with them.

A verb takes a bundle of options as one parameter, whose type is a dataclass: `commands.flattened` makes one option of
each field. The class names the section of the help in which they stand.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

__all__ = [
    "Alternatives",
    "Cluster",
    "CompactBits",
    "Confidence",
    "Conventions",
    "Ctx",
    "Field",
    "First",
    "Force",
    "Json",
    "Like",
    "Matrix",
    "OptionBundle",
    "Prime",
    "PruneEntropy",
    "Quiet",
    "Remembering",
    "ScoringConventions",
    "TextOptions",
    "Threads",
    "With",
    "check_contexts",
    "check_free",
    "check_one_output",
    "compact_bits",
]


def _checked(key: str) -> Callable[[str | None], str | None]:
    """Checks the value of a keyword of `score`, so that a wrong one is a usage error."""

    def check(value: str | None) -> str | None:
        if value is not None:
            from bitmeter._util.check import choice
            from bitmeter.errors import ChoiceError
            from bitmeter.measure.conventions.registry import convention
            from bitmeter.measure.conventions.settings import setting
            from bitmeter.models.windows import parse_context
            from bitmeter.text.borders import BORDERS

            try:
                if key == "ctx":
                    parse_context(value)
                elif key == "border":
                    choice(value, "border", BORDERS)
                elif key == "like":
                    convention(value)
                else:
                    setting(key, value)
            except ChoiceError as error:
                raise typer.BadParameter(str(error)) from error
        return value

    return check


def _convention(key: str, text: str, metavar: str = "NAME") -> Any:
    return typer.Option(help=text, metavar=metavar, callback=_checked(key))


Docs = Annotated[
    str | None,
    _convention("docs", "Document boundaries: file, line, blank, record, joined, joined-line or joined-blank."),
]


def _field(value: str | None) -> str | None:
    if value == "":
        message = "--field is empty; name the field that holds the text, or leave it out for 'text'"
        raise typer.BadParameter(message)
    return value


Field = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Field of JSON lines, or column of Parquet, that holds the text.", callback=_field
    ),
]
Like = Annotated[
    str, _convention("like", "Conventions of another tool: kenlm, srilm, nltk, lm-eval, hf-evaluate, cc_net, …")
]
First = Annotated[
    str | None,
    _convention("first", "How the first unit of a document is conditioned: bos, eos, skip or uniform."),
]
Eos = Annotated[
    str | None,
    _convention("eos", "Whether the end of a document is predicted and counted: yes, no or nonblank."),
]
Oov = Annotated[str | None, _convention("oov", "Cost of an out-of-vocabulary unit: none, skipped, class or spelled.")]
Den = Annotated[str | None, _convention("den", "Bytes by which bits are divided: scored or original.")]
Norm = Annotated[
    str | None,
    _convention(
        "norm",
        "Normalisation of the text: none, nfc, nfkc, lower, newlines, ccnet, edugp, roots, datatrove or data-juicer.",
    ),
]
Ctx = Annotated[
    str | None,
    _convention(
        "ctx",
        "Windows of a model with a bounded context: WINDOW.STRIDE (in tokens), full, disjoint, rolling or half; file: "
        "a model that learns begins afresh with each file.",
        metavar="WINDOWS",
    ),
]
Cluster = Annotated[
    str,
    typer.Option(
        metavar="auto|none|file|heading|FIELD|REGEX",
        help="Which documents belong together and are one observation of the interval: those of a file, under a "
        "heading, with one value of a field, or from a line that matches on.",
    ),
]
Given = Annotated[
    str | None,
    typer.Option(
        metavar="FIELD", help="Field of the context that each answer (--field) is given and that is not counted."
    ),
]
Between = Annotated[
    str | None, typer.Option(metavar="TEXT", help="What stands between a context and its answer, and counts with it.")
]
Border = Annotated[
    str | None,
    _convention("border", "Which units are the answer's where one lies across: whole, apart or lm-eval."),
]
Group = Annotated[
    str | None,
    typer.Option(
        metavar="FIELD|file|folder",
        help="Give figures by group, such as by domain, and macro averages; or by FIELD,FIELD: source and domain.",
    ),
]
Matrix = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write models × groups of bits per byte as .csv or .json (with --group)."),
]
Html = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Also write a report as one HTML file: the text in colour, curves, tables."),
]


def _confidence(value: Any) -> float:
    """0.95, 95 or 95%: a level from 0.5 to 0.9999."""
    text = str(value).strip()
    try:
        level = float(text.removesuffix("%"))
    except ValueError:
        level = -1.0
    if text.endswith("%") or 1.0 < level <= 100.0:
        level /= 100.0
    if not 0.5 <= level <= 0.9999:
        message = f"--confidence is {text}; it must be a level from 0.5 to 0.9999, such as 0.95 (or 95%)"
        raise typer.BadParameter(message)
    return level


Confidence = Annotated[
    float, typer.Option(parser=_confidence, metavar="P", help="Confidence level of the interval: 0.95, or 95%.")
]
Alternatives = Annotated[
    int | None,
    typer.Option(
        min=0, metavar="N", help="Record the entropy and rank of each prediction, and its N likeliest alternatives."
    ),
]
Prime = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="Text that an adaptive model (universal) reads first."),
]
PruneEntropy = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        max=1.0,
        metavar="SHARE",
        help="Prune n-grams whose removal raises the perplexity by less than this share, such as 1e-8.",
    ),
]
CompactBits = Annotated[
    int | None,
    typer.Option(min=4, max=14, metavar="N", help="Bits per probability in the compact form; 8 by default."),
]
Threads = Annotated[
    int, typer.Option(min=0, max=1024, metavar="N", help="Threads to use; 0 (default) for all.", show_default=False)
]
With = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="MODEL",
        help="Model that a mixture refers to by fingerprint, tokenizer:FILE of an n-gram model, or sentencepiece:FILE "
        "whose pieces are the words of a KenLM model; can be repeated.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, with every figure at full precision.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the number alone.")]


@dataclass(frozen=True)
class OptionBundle:
    """Options that a verb takes as one parameter."""

    #: The section of the help in which they stand.
    section: ClassVar[str] = "Options"
    #: The options that were not typed, but are defaults of a file.
    from_files: ClassVar[frozenset[str]] = frozenset()

    def note_defaults(self, names: Iterable[str]) -> None:
        """Note which options are defaults of a file: they yield where a typed one would be refused."""
        object.__setattr__(self, "from_files", frozenset(names))

    def as_keywords(self) -> dict[str, Any]:
        """The options by name, for the function of the library that takes them as keywords."""
        return asdict(self)


def _tracker(value: str | None) -> str | None:
    """Refuse a tracker that is none, or whose package is missing, before the work."""
    if value is not None:
        from bitmeter._util.optional import require
        from bitmeter.errors import ChoiceError
        from bitmeter.hosts.tracking import tracker_of

        try:
            require(tracker_of(value).kind, f"--log {value}")
        except ChoiceError as error:
            raise typer.BadParameter(str(error)) from error
    return value


@dataclass(frozen=True)
class Remembering(OptionBundle):
    """Whether the runs of a verb are remembered."""

    no_history: Annotated[
        bool, typer.Option("--no-history", help="Do not remember this run (see `bitmeter runs list`).")
    ] = False
    log: Annotated[
        str | None,
        typer.Option(
            metavar="TRACKER",
            help="Log the runs, too: mlflow:ADDRESS#EXPERIMENT or wandb:PROJECT.",
            callback=_tracker,
        ),
    ] = None

    def remember(self, scores: list[Any], verb: str, *, quiet: bool = False) -> None:
        """Remember what was measured, unless --no-history or -q was typed, and log it if --log was."""
        if not self.no_history and not quiet:
            from bitmeter.cli.remembering import remember

            remember(scores, verb)
        if self.log is not None:
            from bitmeter.cli.remembering import log

            log(scores, verb, self.log)


@dataclass(frozen=True)
class TextOptions(OptionBundle):
    """How a text is read."""

    docs: Docs = None
    field: Field = None


@dataclass(frozen=True)
class Conventions(TextOptions):
    """The conventions of a figure that depends on single units."""

    section: ClassVar[str] = "Conventions"

    like: Like = "bitmeter"
    first: First = None
    eos: Eos = None
    oov: Oov = None
    norm: Norm = None
    ctx: Ctx = None

    def stated(self) -> dict[str, Any]:
        """Those that differ from their defaults."""
        defaults = asdict(type(self)())
        return {name: value for name, value in asdict(self).items() if value != defaults[name]}

    def typed(self) -> dict[str, Any]:
        """Those that were typed: stated, and not by a file."""
        return {name: value for name, value in self.stated().items() if name not in self.from_files}

    def suited(self, model: Any, keywords: dict[str, Any]) -> dict[str, Any]:
        """The keywords for a model: windows that a file sets are for models that have them."""
        from bitmeter.models.protocols import Windowed

        if "ctx" in self.from_files and not isinstance(model, Windowed):
            return keywords | {"ctx": None}
        return keywords


@dataclass(frozen=True)
class ScoringConventions(Conventions):
    """The conventions of a score."""

    den: Den = None
    cluster: Cluster = "auto"
    given: Given = None
    between: Between = None
    border: Border = None
    group: Group = None


def check_contexts(conventions: ScoringConventions) -> None:
    """Refuse what is about contexts where there are none."""
    if conventions.given is None and (conventions.between or conventions.border):
        option = "between" if conventions.between else "border"
        message = f"--{option} is about contexts and answers; name the field of the contexts with --given"
        raise typer.BadParameter(message)


def check_ungrouped(conventions: ScoringConventions, verb: str) -> None:
    """Refuse groups where they are not shown."""
    if conventions.group is not None:
        message = f"{verb} does not show groups; leave out --group, or type: bitmeter compare A B --on TEXT --group …"
        raise typer.BadParameter(message)


def compact_bits(bits: int | None, *, compact: bool) -> int:
    """Bits per probability in the compact form of an n-gram model, which alone rounds probabilities."""
    if bits is not None and not compact:
        message = f"--bits {bits} is for the compact form, and the fast form does not round; add --compact"
        raise typer.BadParameter(message)
    from bitmeter.models.ngram.forms import DEFAULT_BITS

    return DEFAULT_BITS if bits is None else bits


def check_free(path: Any, *, force: bool, stdout: bool = False, inputs: Iterable[str | None] = ()) -> None:
    """Refuse an output that cannot be written, or that exists and would need --force, before any work is done.

    Parameters
    ----------
    path
        The output; None for none.
    force
        Whether --force was typed.
    stdout
        Whether the verb writes to standard output if the path is "-".
    inputs
        What the verb reads: texts and models. With --force, too, none of these may be lost.
    """
    if path is None or (stdout and str(path) == "-"):
        return
    if any(_is_file(path, name) for name in inputs if name is not None):
        message = f"{path} is also an input of this command, and would be lost; name another output"
        raise typer.BadParameter(message)
    from bitmeter._util.files import check_destination
    from bitmeter.errors import BitmeterError

    if str(path) == "-":
        message = "- is no name of an output here; type /dev/stdout, or the full path of a file that has this name"
        raise typer.BadParameter(message)
    try:
        check_destination(path, force=force)
    except BitmeterError as error:
        raise typer.BadParameter(str(error).removesuffix(" (in Python: force=True)")) from error


def _is_file(path: Any, name: str) -> bool:
    """Whether a path is the file that an input names, with or without a scheme (ngram:FILE)."""
    if not os.path.isfile(path):  # devices and FIFOs are not replaced
        return False
    return any(os.path.exists(one) and os.path.samefile(path, one) for one in (name, name.partition(":")[2]))


def check_memory(memory: str | None, temp: Any) -> None:
    """A wrong --memory or --temp is a usage error."""
    from bitmeter.errors import BitmeterError
    from bitmeter.models.ngram.estimate.memory import Allowance

    try:
        Allowance.of(memory, temp)
    except BitmeterError as error:
        raise typer.BadParameter(str(error)) from error


def check_one_output(*, json: bool, quiet: bool) -> None:
    """Refuse --json together with -q."""
    if json and quiet:
        message = "--json and -q ask for two different outputs; give one of them"
        raise typer.BadParameter(message)
