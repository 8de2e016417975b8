"""The program that runs a chat template, in a sandbox within bounds, and nothing else."""

from __future__ import annotations

import json
import sys
from typing import Any

#: Seconds of computing and bytes of memory.
_SECONDS, _MEMORY = 3, 1 << 30


def bound_process() -> None:
    """Set bounds by the system, where it has such; the caller's own bound of time holds everywhere."""
    try:
        import resource
    except ImportError:  # not on every system
        return
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # standard output is a pipe, which has no size
    resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))


def render(template: str, messages: list[dict[str, str]], specials: dict[str, str], most: int) -> str:
    """What a template writes, at most so many characters.

    Examples
    --------
    >>> said = [{"role": "user", "content": "a"}]
    >>> render("{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}", said, {}, 9)
    '<user>a'
    """
    from jinja2 import nodes
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """`{% generation %}` marks what an assistant says, for training; here it changes nothing."""

        tags = {"generation"}  # noqa: RUF012

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.Scope(body, lineno=line)

    def fail(message: object) -> None:
        raise ValueError(str(message)[:200])

    sandbox = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, Generation], autoescape=False
    )
    sandbox.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
    sandbox.globals |= {"raise_exception": fail, "strftime_now": lambda form: "1 January 2000"}
    parts: list[str] = []
    size = 0
    given = {"messages": messages, "add_generation_prompt": False, "tools": None, "documents": None, **specials}
    for part in sandbox.from_string(template).generate(**given):
        size += len(part)
        if size > most:
            message = f"it writes more than {most:,} characters"
            raise ValueError(message)
        parts.append(part)
    return "".join(parts)


def main() -> None:
    """Read a template with its messages from standard input, and answer."""
    asked = json.loads(sys.stdin.buffer.read())
    bound_process()
    answer: dict[str, Any] = {"text": "", "error": ""}
    try:
        answer["text"] = render(asked["template"], asked["messages"], asked["specials"], asked["most"])
    except Exception as error:  # a stranger's program may raise anything; its name is what the caller shows
        answer["error"] = f"{type(error).__name__}: {error}"[:300]
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
