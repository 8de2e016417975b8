"""The files of the page: all are served, nothing is fetched from elsewhere, every import leads somewhere."""

from __future__ import annotations

import posixpath
import re

import pytest

from bitmeter.web.assets import TYPES, page_file, page_files
from tests.web.serving import client_of


def text_of(name: str) -> str:
    found = page_file(name)
    assert found is not None
    return found[0].decode()


@pytest.mark.parametrize("name", sorted(page_files()))
def test_every_file_is_served_with_its_type(name: str) -> None:
    found = client_of().get(f"/{name}")
    assert found.status_code == 200
    assert found.headers["content-type"] == f"{TYPES[name.rpartition('.')[2]]}; charset=utf-8"
    assert found.text == text_of(name)


@pytest.mark.parametrize("name", sorted(name for name in page_files() if name.endswith(".js")))
def test_imports_lead_to_files_and_to_names_that_they_have(name: str) -> None:
    text = text_of(name)
    for names, path in re.findall(r'^import \{ ([^}]*) \} from "([^"]+)";', text, re.MULTILINE):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        assert target in page_files(), f"{name} imports {path}"
        exported = set(re.findall(r"^export (?:async )?(?:function|class|const) (\w+)", text_of(target), re.MULTILINE))
        wanted = {word.split(" as ")[0].strip() for word in names.split(",")}
        assert wanted <= exported, f"{name} imports {wanted - exported} of {path}"
        used = {word.split(" as ")[-1].strip() for word in names.split(",")}
        body = re.sub(r"^import .*$", "", text, flags=re.MULTILINE)
        unused = {word for word in used if not re.search(rf"\b{re.escape(word)}\b", body)}
        assert not unused, f"{name} imports {unused} of {path} and does not use it"


@pytest.mark.parametrize("name", sorted(name for name in page_files() if not name.startswith("shared/")))
def test_nothing_is_fetched_from_elsewhere_and_nothing_is_run_from_text(name: str) -> None:
    text = text_of(name).replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|\beval\(|new Function|document\.write|@import", text)
    if name.endswith(".js"):
        # The only HTML that is written is that of the coloured text, which the report escapes.
        assert len(re.findall(r"innerHTML|insertAdjacentHTML|outerHTML", text)) == (1 if name == "editor.js" else 0)
        assert not re.search(r'style="|setAttribute\("style"', text)


def needed(name: str, found: dict[str, None]) -> dict[str, None]:
    """All that a module imports before it runs, itself left out."""
    for path in re.findall(r'^import .* from "(\..*)"', text_of(name), re.MULTILINE):
        other = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        if other not in found:
            found[other] = None
            needed(other, found)
    return found


def test_every_module_is_asked_for_at_once() -> None:
    """Else the browser finds them one import after the other, and shows the first view later."""
    asked = re.findall(r'rel="modulepreload" href="(.*)"', text_of("index.html"))
    assert sorted(asked) == sorted(needed("page.js", {}))


def test_what_the_first_view_does_not_need_is_loaded_when_it_is_asked_for() -> None:
    later = re.findall(r'import\("\./(.*?)"\)', text_of("page.js"))
    assert sorted(later) == ["game.js", "lessons.js", "reporting.js"]
    first = needed("page.js", {})
    assert not {*later, "figures.js", "shared/report.js"} & set(first)
    assert not [name for name in first if name.startswith("pictures/")]
    used = {"page.js", "theme.js", *first, *later} | {other for name in later for other in needed(name, {})}
    assert {name for name in page_files() if name.endswith(".js")} == used, "no module is left over"
