"""The file: one, nothing fetched, nothing of a user's text outside of its data, and there escaped."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.reports.html import writer
from bitmeter.reports.html.writer import SCRIPTS, asset, bundled, embedded_json
from tests.reports.html.hostile import HOSTILE

ASSETS = Path(writer.__file__).parent / "assets"


class Parsed(HTMLParser):
    """The scripts, the other text and the addresses of a page, as a browser sees them."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.scripts: list[str] = []
        self.text: list[str] = []
        self.addresses: list[str] = []
        self.tags: list[str] = []
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._inside = tag
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attributes if name in ("src", "href", "srcset", "data")]
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts[-1] += data
        else:
            self.text.append(data)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "r.html"
    runs = [bm.score(name, HOSTILE, alternatives=3) for name in ("kt", "uniform")]
    bm.report(runs, path, title="</script><b>title</b> {{data}} \u202e", command="bitmeter '<script>'")
    return path.read_text(encoding="utf-8")


def test_hostile_text_stays_in_the_data(page: str) -> None:
    found = Parsed(page)
    assert len(found.scripts) == 2
    data = json.loads(found.scripts[0])
    assert data["title"].startswith("</script><b>title</b> {{data}}")
    assert "b" not in found.tags
    assert "img" not in found.tags
    block = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert block is not None
    assert "<" not in block[1]
    assert not re.search("[\u2028\u2029\x00-\x08]", page)


def test_nothing_is_fetched_and_one_script_may_run(page: str) -> None:
    found = Parsed(page)
    assert found.addresses == ["#main"]
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    digest = base64.b64encode(hashlib.sha256(found.scripts[1].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in policy[1]
    # The namespace of SVG is a name, not an address.
    code = bundled().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|\bfetch\(|XMLHttpRequest|\bimport\(|WebSocket|sendBeacon|eval\(", code)
    assert "url(" not in asset("report.css")


@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_embedded_json_is_json_without_markup(value: object) -> None:
    text = embedded_json(value)
    assert json.loads(text) == value
    assert "<" not in text
    text.encode("utf-8")


def test_half_a_surrogate_pair_can_be_written() -> None:
    assert json.loads(embedded_json({"name": "a\udcff"}).encode("utf-8")) == {"name": "a\udcff"}


def test_the_modules_have_no_name_twice_and_import_only_earlier_ones() -> None:
    """They are joined into one script, in which a second function of a name would replace the first in silence."""
    seen: dict[str, str] = {}
    assert {path.name for path in ASSETS.glob("*.js")} == set(SCRIPTS)
    for place, name in enumerate(SCRIPTS):
        text = asset(name)
        for own in re.findall(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", text, re.MULTILINE):
            assert own not in seen, f"{own} is in {name} and in {seen[own]}"
            seen[own] = name
        for names, other in re.findall(r'^import \{([^}]*)\} from "\./([\w.]+)";$', text, re.MULTILINE):
            assert other in SCRIPTS[:place], f"{name} imports {other}, which comes later"
            for one in names.split(","):
                assert seen.get(one.strip()) == other, f"{name} imports {one.strip()} from {other}"
        assert len(re.findall(r"^import ", text, re.MULTILINE)) == len(
            re.findall(r"^import \{[^}]*\} from \"\./", text, re.MULTILINE)
        )
    assert not re.search(r"^\s*(?:import|export) ", bundled(), re.MULTILINE)


def test_every_imported_name_is_used_and_every_used_name_imported() -> None:
    exported = {
        name: set(re.findall(r"^export (?:async )?(?:function|class|const) (\w+)", asset(name), re.MULTILINE))
        for name in SCRIPTS
    }
    for name in SCRIPTS:
        text = asset(name)
        imports = {
            one.strip() for names in re.findall(r"^import \{([^}]*)\}", text, re.MULTILINE) for one in names.split(",")
        }
        body = re.sub(r"^import [^;]*;\n", "", text, flags=re.MULTILINE)
        assert {one for one in imports if not re.search(rf"\b{one}\b", body)} == set(), name
        foreign = {one for other, names in exported.items() if other != name for one in names}
        used = {
            one
            for one in foreign - imports
            if re.search(rf"(?<![\w.\"'`]){one}\(", body)
            and not re.search(rf"(?:const|let|function) {one}\b|^  {one}\(|[({{,] ?{one}[,:)]", body, re.MULTILINE)
        }
        assert used == set(), name


def test_an_existing_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    path.write_text("mine")
    score = bm.score("kt", b"abc")
    with pytest.raises(bm.BitmeterError, match="exists"):
        bm.report(score, path)
    assert path.read_text() == "mine"
    bm.report(score, path, force=True)
    assert path.read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("wrong", [{"title": 3}, {"command": 3}, {"budget": -1}, {"sweep": 3}, {"traces": [3]}])
def test_wrong_arguments_are_refused(tmp_path: Path, wrong: dict[str, object]) -> None:
    with pytest.raises(bm.BitmeterError):
        bm.report(bm.score("kt", b"abc"), tmp_path / "r.html", **wrong)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_a_page_is_the_same_twice(tmp_path: Path) -> None:
    score = bm.score("kt", HOSTILE, alternatives=3)
    for name in ("a.html", "b.html"):
        bm.report(score, tmp_path / name)
    first, second = (
        re.sub(r'"date":"[0-9-]*"', "", (tmp_path / name).read_text("utf-8")) for name in ("a.html", "b.html")
    )
    assert first == second
