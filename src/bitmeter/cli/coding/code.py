"""`bitmeter code`: a prefix code for a text or a distribution."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Annotated, Any

import typer

from bitmeter.cli.formats import Format, SaveAs, chosen_formats, print_records, save_records
from bitmeter.cli.options import Force, Json, check_free

__all__ = ["KINDS", "code"]

#: The codes that can be made.
KINDS = ("huffman", "shannon", "elias", "fixed")


def code(
    text: Annotated[str | None, typer.Argument(help="A file, whose characters are counted; - for stdin.")] = None,
    given: Annotated[
        list[str] | None,
        typer.Option("--p", metavar="LABEL=P", help="A label and its probability or weight; can be repeated."),
    ] = None,
    by_hand: Annotated[
        list[str] | None,
        typer.Option("--word", metavar="LABEL=BITS", help="A codeword of your own code; can be repeated."),
    ] = None,
    kind: Annotated[str, typer.Option(metavar="NAME", help=f"The code: {', '.join(KINDS)}.")] = "huffman",
    longest: Annotated[int | None, typer.Option(min=1, metavar="N", help="Longest codeword allowed (huffman).")] = None,
    canonical: Annotated[
        bool, typer.Option("--canonical", help="Canonical codewords: the same lengths, in counting order.")
    ] = False,
    tree: Annotated[bool, typer.Option("--tree", help="Draw the code tree.")] = False,
    output: SaveAs = None,
    force: Force = False,
    format: Format = None,  # noqa: A002
    json: Json = False,
) -> None:
    """Build a prefix code for the characters of a text or a distribution; compare its length with the entropy.

    A code of your own (--word a=0 --word b=10 …) is checked: whether it is prefix-free, and uniquely decodable.
    """
    from bitmeter.cli.output import say, show
    from bitmeter.coding.prefix.code import PrefixCode
    from bitmeter.reports.codes import code_table

    if kind not in KINDS:
        message = f"--kind is {kind}; it must be one of {', '.join(KINDS)}"
        raise typer.BadParameter(message)
    formats = chosen_formats(format, json=json, output=output)
    if tree and formats.printed != "table":
        message = "--tree is drawn below the table for people; leave it out, or leave out --json and --format"
        raise typer.BadParameter(message)
    check_free(output, force=force)
    if longest is not None and kind != "huffman":
        message = "--longest is for --kind huffman"
        raise typer.BadParameter(message)
    p = _distribution(text, given)
    words = _pairs(by_hand or [], "--word", "--word a=01")
    for label, word in words.items():
        if not word or set(word) - {"0", "1"}:
            message = f"--word {label}={word}: a codeword is made of 0 and 1, such as --word a=01"
            raise typer.BadParameter(message)
    if not words and p is None:
        message = "nothing to code; give a file, --p LABEL=P …, or --word LABEL=BITS …"
        raise typer.BadParameter(message)
    made = PrefixCode(words) if words else _made(p, kind, longest)
    if canonical:
        made = made.canonical()
    from bitmeter.reports.records.codes import code_records

    save_records(formats, lambda: code_records(made, p), force=force)
    if print_records(formats, lambda: code_records(made, p)):
        return
    show(code_table(made, p))
    if p is not None:
        say(str(made.figures(p)))
    for line in _verdict(made):
        say(line)
    if tree:
        typer.echo(made.tree())


def _made(p: Any, kind: str, longest: int | None) -> Any:
    from bitmeter.coding.prefix.code import PrefixCode

    if kind == "huffman":
        return PrefixCode.huffman(p, longest=longest)
    ways = {"shannon": PrefixCode.shannon, "elias": PrefixCode.shannon_fano_elias, "fixed": PrefixCode.fixed}
    return ways[kind](p)


def _verdict(made: Any) -> list[str]:
    if made.prefix_free:
        return ["prefix-free: each word is known by its last bit"]
    first, second = made.clash
    line = f"not prefix-free: the word of {first!r} begins that of {second!r}"
    if made.uniquely_decodable:
        return [line, "uniquely decodable all the same, by reading on"]
    return [line, f"not decodable: {made.ambiguity} can be read in two ways"]


def _distribution(text: str | None, given: list[str] | None) -> Any:
    from bitmeter.theory.distributions import Distribution

    if text is not None and given:
        message = "give a text or --p LABEL=P, not both"
        raise typer.BadParameter(message)
    if given:
        weights: dict[Hashable, float] = {}
        for label, value in _pairs(given, "--p", "--p a=0.5").items():
            try:
                weights[label] = float(value)
            except ValueError as error:
                message = f"--p {label}={value}: {value} is not a number"
                raise typer.BadParameter(message) from error
            if not 0 <= weights[label] < math.inf:
                message = f"--p {label}={value}: a probability or weight is a finite number, and not negative"
                raise typer.BadParameter(message)
        return Distribution(weights, normalise=True)
    if text is None:
        return None
    from bitmeter.errors import EmptyError
    from bitmeter.text.corpus.corpus import Corpus

    data = b"".join(block.data for block in Corpus(text).blocks())
    if not data:
        message = f"{text} is empty; a code needs characters to count"
        raise EmptyError(message)
    return Distribution.from_data(data.decode("utf-8", "surrogateescape"))


def _pairs(entries: list[str], option: str, example: str) -> dict[Hashable, str]:
    found: dict[Hashable, str] = {}
    for entry in entries:
        label, equals, value = entry.rpartition("=")
        if not equals or not label:
            message = f"{option} {entry} must be a label and a value, such as {example}"
            raise typer.BadParameter(message)
        if label in found:
            message = f"{option} {entry}: {label} has the value {found[label]} already; give each label once"
            raise typer.BadParameter(message)
        found[label] = value
    return found
