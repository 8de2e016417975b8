"""The notebook of the documentation: run, written with its outputs, and made into a page.

python docs/notebook.py     runs docs/notebooks/first.ipynb and writes its outputs into it

A cell is run as a notebook runs it: its statements in order, in one namespace, and the value of a last expression is
shown by its `_repr_html_` if it has one. That takes no kernel; a real notebook shows the same.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent / "notebooks" / "first.ipynb"


def cells(path: Path = NOTEBOOK) -> list[dict[str, Any]]:
    """The cells of a notebook."""
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


def source(cell: dict[str, Any]) -> str:
    """The text of a cell."""
    return "".join(cell["source"])


def run(path: Path = NOTEBOOK) -> list[list[dict[str, Any]]]:
    """The outputs of each cell, in order; those of texts are empty. It runs in a folder of its own."""
    names: dict[str, Any] = {"__name__": "__main__"}
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return [_outputs(source(cell), names) if cell["cell_type"] == "code" else [] for cell in cells(path)]
        finally:
            os.chdir(before)


def _outputs(text: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    tree = ast.parse(text)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    found: list[dict[str, Any]] = []
    value: Any = None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    if printed.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        html = getattr(type(value), "_repr_html_", None)
        if html is not None:
            data = {"text/html": _lines(html(value)), **data}
        found.append({"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": None})
    return found


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def page(path: Path = NOTEBOOK) -> str:
    """The notebook as a page, with the outputs that it gives now."""
    parts = []
    for cell, outputs in zip(cells(path), run(path), strict=True):
        parts.append(source(cell) if cell["cell_type"] == "markdown" else f"```py\n{source(cell)}\n```")
        for output in outputs:
            if output["output_type"] == "stream":
                parts.append(f"```text\n{''.join(output['text'])}```")
            elif "text/html" in output["data"]:
                # One line, so that Markdown leaves it alone.
                html = "".join(output["data"]["text/html"]).replace("\n", "&#10;")
                parts.append(f'<div class="output">{html}</div>')
            else:
                parts.append(f"```text\n{''.join(output['data']['text/plain'])}\n```")
    parts.append(f"This page is a notebook: [{path.name}]({path.name}).")
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Write the outputs into the notebook."""
    content = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    number = 0
    for cell, outputs in zip(content["cells"], run(), strict=True):
        if cell["cell_type"] == "code":
            number += 1
            cell["execution_count"] = number
            cell["outputs"] = [
                output | ({"execution_count": number} if "execution_count" in output else {}) for output in outputs
            ]
    NOTEBOOK.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
