"""lm-evaluation-harness: the samples that `--log_samples` writes, of loglikelihood and loglikelihood_rolling."""

from __future__ import annotations

from bitmeter.hosts.logs.items import Item, Log, LogFile

__all__ = ["NAME", "is_row", "read_rows"]

NAME = "lm-eval"


def is_row(row: LogFile) -> bool:
    """Whether an object is a sample of lm-eval."""
    return isinstance(row.value, dict) and {"arguments", "resps", "doc_id"} <= set(row.value)


def read_rows(rows: list[LogFile]) -> Log:
    """The texts of a file of samples; all must be of one kind."""
    items, kinds = [], set()
    for row in rows:
        arguments = _arguments(row.at("arguments"))
        answers = list(row.at("resps").each())
        if not arguments or len(arguments) != len(answers):
            row.fail(f"it has {len(arguments)} requests and {len(answers)} answers")
        index = _gold(row, len(answers))
        asked, answer = arguments[index], answers[index].at(0)
        if len(asked) == 1:
            kinds.add("text")
            # Of loglikelihood_rolling the answer is the sum, in some versions in a list of its own.
            value = answer.at(0) if isinstance(answer.value, list) else answer
            items.append(Item(asked[0].text().encode(), value.logprob()))
        elif len(asked) == 2 and isinstance(asked[1].value, str) and isinstance(answer.value, list):
            kinds.add("answer")
            context, text = asked[0].text().encode(), asked[1].text().encode()
            items.append(Item(text, answer.at(0).logprob(), context=context))
        else:
            row.fail(
                "its requests are neither loglikelihood nor loglikelihood_rolling; only those have log-probabilities"
            )
    if len(kinds) != 1:
        rows[0].fail("it mixes texts and answers")
    return Log(NAME, kinds.pop(), items)


def _arguments(found: LogFile) -> list[list[LogFile]]:
    """The arguments of each request: objects in newer versions, lists in older ones."""
    if isinstance(found.value, dict):
        return [[found.at(request, part) for part in found.at(request).names()] for request in found.names()]
    return [list(request.each()) for request in found.each()]


def _gold(row: LogFile, number: int) -> int:
    """Which of several choices is the right one."""
    if number == 1:
        return 0
    value = row.at("target").value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 9:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < number:
        row.fail(f"it has {number} choices, and its target, {value!r:.40}, is not the number of one")
    return value
