"""Answers of servers: OpenAI's completions and chats, vLLM's prompt_logprobs, llama-server's completions.

One response, a list of them, or one per line; also the lines of OpenAI's batch files, which hold a response each.
"""

from __future__ import annotations

import math

from bitmeter.hosts.logs.items import Item, Log, LogFile, token_bytes

__all__ = ["is_response", "read_responses"]


def is_response(row: LogFile) -> bool:
    """Whether an object is an answer of a server with log-probabilities."""
    found = _body(row)
    if not isinstance(found.value, dict):
        return False
    if "completion_probabilities" in found.value or "prompt_logprobs" in found.value:
        return True
    first = found.at("choices", 0, optional=True)
    return isinstance(first.value, dict) and ("logprobs" in first.value or "prompt_logprobs" in first.value)


def _body(row: LogFile) -> LogFile:
    """The response itself: in OpenAI's batch files it lies within."""
    inner = row.at("response", "body", optional=True)
    return row if inner.is_null else inner


def read_responses(rows: list[LogFile]) -> Log:
    """The texts of a file of responses; all must be of one kind."""
    items, tools, kinds, models = [], set(), set(), set()
    for row in rows:
        body = _body(row)
        if not is_response(row):
            row.fail("it has no log-probabilities; ask the server for them")
        tool, kind, found = _read(body, row)
        items += found
        tools.add(tool)
        kinds.add(kind)
        name = body.at("model", optional=True)
        models.add("" if name.is_null else name.text())
    if len(tools) != 1 or len(kinds) != 1:
        rows[0].fail(f"it mixes {' and '.join(sorted(tools | kinds))}")
    model = models.pop() if len(models) == 1 else ""
    return Log(tools.pop(), kinds.pop(), items, model)


def _read(body: LogFile, row: LogFile) -> tuple[str, str, list[Item]]:
    context = _prompt(row)
    if not body.at("completion_probabilities", optional=True).is_null:
        if context is None and not body.at("prompt", optional=True).is_null:
            context = body.at("prompt").text().encode()
        return "llama-server", "sample", [_listed(body.at("completion_probabilities"), context or b"")]
    if not body.at("prompt_logprobs", optional=True).is_null:  # vLLM's chats have it beside the choices
        return "vllm", "text", [_prompt_logprobs(body.at("prompt_logprobs"), body)]
    found = []
    tool, kind = "openai", "sample"
    for choice in body.at("choices").each():
        if not choice.at("prompt_logprobs", optional=True).is_null:
            tool, kind = "vllm", "text"
            found.append(_prompt_logprobs(choice.at("prompt_logprobs"), choice))
            continue
        logs = choice.at("logprobs")
        if logs.is_null:
            choice.fail(f"{logs.name} is null; ask the server for log-probabilities")
        if not logs.at("content", optional=True).is_null:
            found.append(_listed(logs.at("content"), context or b""))
        else:
            kind = "text" if logs.at("token_logprobs", 0).is_null else "sample"
            found.append(_completion(logs, b"" if kind == "text" else context or b""))
            _check_text(choice, found[-1])
    return tool, kind, found


def _check_text(choice: LogFile, item: Item) -> None:
    """The tokens must spell the text, behind which a token for its end may stand."""
    text = choice.at("text", optional=True)
    if not isinstance(text.value, str) or "\ufffd" in text.value:
        return
    if not item.text.startswith(text.text().encode()):
        choice.fail(f"{choice.name}: its tokens spell {item.text[:40]!r}, and its text is {text.value[:40]!r}")


def _prompt(row: LogFile) -> bytes | None:
    """The prompt of a request, where a log has it beside the response."""
    for path in (("request", "prompt"), ("prompt",)):
        found = row.at(*path, optional=True)
        if isinstance(found.value, str):
            return found.text().encode()
    return None


def _item(tokens: list[bytes], logs: list[float | None], context: bytes) -> Item:
    return Item(b"".join(tokens), math.fsum(log for log in logs if log is not None), tokens, logs, context)


def _listed(content: LogFile, context: bytes) -> Item:
    """Tokens one by one, each with its logarithm and perhaps its bytes: chats, and llama-server."""
    tokens: list[bytes] = []
    logs: list[float | None] = []
    for entry in content.each():
        tokens.append(token_bytes(entry.at("token"), entry.at("bytes", optional=True)))
        logs.append(entry.at("logprob").token_logprob())
    return _item(tokens, logs, context)


def _completion(logs: LogFile, context: bytes) -> Item:
    """The older completions: parallel lists; an echoed prompt begins with a token that has no logarithm."""
    names = list(logs.at("tokens").each())
    values = list(logs.at("token_logprobs").each())
    if len(names) != len(values):
        logs.fail(f"{logs.name} has {len(names)} tokens and {len(values)} log-probabilities")
    nothing = LogFile(None, "", logs.tool)
    tokens = [token_bytes(name, nothing) for name in names]
    found: list[float | None] = []
    for index, value in enumerate(values):
        if value.is_null and index:
            value.fail(f"{value.name} is null; only the first token of a prompt has no log-probability")
        found.append(None if value.is_null else value.token_logprob())
    return _item(tokens, found, context)


def _prompt_logprobs(logs: LogFile, owner: LogFile) -> Item:
    """vLLM: for each token of the prompt an object with the token itself, listed first, and likelier ones."""
    ids = owner.at("prompt_token_ids", optional=True)
    tokens: list[bytes] = []
    found: list[float | None] = []
    nothing = LogFile(None, "", logs.tool)
    for index, position in enumerate(logs.each()):
        if position.is_null:
            if index:
                position.fail(f"{position.name} is null; only the first token of a prompt has no log-probability")
            continue
        keys = position.names()
        if not keys:
            position.fail(f"{position.name} is empty")
        wanted = keys[0] if ids.is_null else str(ids.at(index).integer())
        entry = position.at(wanted)
        tokens.append(token_bytes(entry.at("decoded_token"), nothing))
        found.append(entry.at("logprob").token_logprob())
    # The first token has no entry, and so no text: what was scored begins after it.
    return _item(tokens, found, b"")
