"""Starting the server: addresses, tokens, and what is refused before anything is served."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from bitmeter.errors import BitmeterError, InputError
from bitmeter.web.start import serve

#: Under nohup SIGHUP is ignored, and so it would stay.
HEARD = "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL); "


def started(folder: Path, *words: str, before: str = "", **variables: str) -> subprocess.Popen[str]:
    code = f"{HEARD}{before}from bitmeter.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", code, "serve", "--port", "0", *words]
    environment = {**os.environ, "BITMETER_DATA": str(folder), **variables}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def answer(address: str, token: str | None = None) -> int:
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"} if token else {})
    try:
        with urllib.request.urlopen(request, timeout=60) as found:
            return int(found.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_on_this_machine_and_ended_by_ctrl_c(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"The page is at (http://127\.0\.0\.1:\d+/)\n", line)
        assert found, line
        assert answer(f"{found[1]}api/page") == 200
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_ends_it_without_a_traceback(tmp_path: Path, number: signal.Signals) -> None:
    """`make faults` found that a closed terminal (SIGHUP) ended it by tracebacks, and requests by 500."""
    with started(tmp_path) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        assert answer(f"{address}api/page") == 200
        process.send_signal(number)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 128 + number
    assert "Traceback" not in errors


def test_for_other_machines_a_token_is_made_and_needed(tmp_path: Path) -> None:
    with started(tmp_path, "--host", "0.0.0.0") as process:
        assert process.stdout is not None
        found = re.fullmatch(r"The page is at http://[^/]+:(\d+)/#token=([\w-]{32})\n", process.stdout.readline())
        assert found
        address = f"http://127.0.0.1:{found[1]}/api/page"
        assert (answer(address), answer(address, "wrong"), answer(address, found[2])) == (401, 401, 200)
        process.terminate()
        process.communicate(timeout=60)


def test_it_ends_without_requests(tmp_path: Path) -> None:
    with started(tmp_path, "--idle", "0.001") as process:
        process.communicate(timeout=120)
    assert process.returncode == 0


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least 16"):
        serve(token="short")
    with pytest.raises(BitmeterError):
        serve(["no-such-model"])
    with pytest.raises(InputError, match="cannot listen"):
        serve(host="256.256.256.256", token="x" * 16)
    with pytest.raises(BitmeterError, match="not a folder"):
        serve(folder=tmp_path / "nothing")


#: A step that does not come back, as a call of another package may: only ending the process ends it.
STUCK = "import time, bitmeter.web.app; bitmeter.web.app.report = lambda *given: time.sleep(3600); "


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("before", ["", STUCK], ids=["scoring", "stuck"])
def test_a_running_job_does_not_hold_the_server(tmp_path: Path, number: signal.Signals, before: str) -> None:
    """The text would take an hour; the limit here is only that of a loaded machine."""
    with started(tmp_path, before=before) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        body = json.dumps({"models": ["universal"], "text": "to be or not to be\n" * 500_000}).encode()
        begin = urllib.request.Request(f"{address}api/jobs", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(begin, timeout=60) as found:
            job = json.load(found)["id"]
        state = ""
        while state != "running":
            with urllib.request.urlopen(f"{address}api/jobs/{job}", timeout=60) as found:
                state = json.load(found)["state"]
            assert state in ("waiting", "running")
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert "Traceback" not in errors
