"""The page under load: many clients type at once; how many answers come, how fast, and whether one is lost or wrong.

    python benchmarks/clients.py [--clients 50] [--seconds 60]

A request is accepted unless it is answered 429 (too many wait), and every accepted one must be answered with the figure
that the library gives for the same text. The program exits with 1 if one is not. Then one client alone: how long a
text of 10 kB takes to be scored again after a letter was typed.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from typing import Any

import numpy as np
from stopwatch import header

import bitmeter as bm
from bitmeter.text.corpus.sample import sample_text

MODELS = ("kt", "sample-bytes", "sample-words", "universal")


class Client:
    """One window: it types, waits for the answer, and types on."""

    def __init__(self, port: int, number: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.number = number
        self.codes: Counter[str] = Counter()
        self.seconds: list[float] = []

    def ask(self, model: str, text: str) -> tuple[int, Any]:
        body = json.dumps({"models": [model], "text": text})
        begun = time.perf_counter()
        self.connection.request("POST", "/api/live", body, {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        found = json.loads(answer.read())
        self.seconds.append(time.perf_counter() - begun)
        return answer.status, found

    def work(self, until: float, text: str, right: dict[str, float]) -> None:
        """Texts grow by a letter as if typed; each figure of kt is held against the library's."""
        model, size = MODELS[self.number % 3], 400
        try:
            while time.monotonic() < until:
                status, found = self.ask(model, text[:size])
                self.codes[str(status)] += 1
                if status == 200 and model == "kt" and found["runs"][0]["figure"] != right[text[:size]]:
                    self.codes["wrong"] += 1
                if status == 429:
                    time.sleep(0.2)
                size = 400 + (size + 1) % 400
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.codes[f"lost: {type(error).__name__}"] += 1


def started(folder: str) -> tuple[subprocess.Popen[str], int]:
    command = [sys.executable, "-c", "from bitmeter.cli import main; main()", "serve", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "BITMETER_DATA": folder})
    assert server.stdout is not None
    return server, int(server.stdout.readline().rsplit(":", 1)[1].strip("/\n"))


def together(port: int, count: int, seconds: float, text: str) -> Counter[str]:
    right = {text[:size]: bm.score("kt", text[:size].encode()).bits_per_byte for size in range(400, 800)}
    clients = [Client(port, number) for number in range(count)]
    for name in MODELS:
        clients[0].ask(name, "warm")  # models are loaded when they are first used
    clients[0].seconds.clear()
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=one.work, args=(until, text, right)) for one in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    codes: Counter[str] = sum((one.codes for one in clients), Counter())
    waits = np.array([wait for one in clients for wait in one.seconds])
    print(f"{count} clients, {seconds:g} s: {len(waits):,} answers, {len(waits) / seconds:,.0f} per second")
    print(f"  wait: median {1e3 * np.median(waits):.0f} ms, p95 {1e3 * np.quantile(waits, 0.95):.0f} ms")
    print("  " + ", ".join(f"{name}: {number:,}" for name, number in sorted(codes.items())))
    return codes


def alone(port: int, text: str) -> None:
    print("10 kB scored again, one client, best of 5: after a letter at the end, and after one at the beginning")
    for name in MODELS:
        client = Client(port, 0)
        for k in range(6):
            client.ask(name, text + "x" * k)
        end = min(client.seconds[1:])
        client.seconds.clear()
        for k in range(5):
            client.ask(name, "y" * (k + 1) + text)
        print(f"  {name:<14} {1e3 * end:5.0f} ms {1e3 * min(client.seconds):5.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    print(header())
    text = sample_text()[60_000:]
    with tempfile.TemporaryDirectory() as folder:
        server, port = started(folder)
        try:
            codes = together(port, given.clients, given.seconds, text)
            alone(port, text[:10_000])
        finally:
            server.terminate()
            server.wait()
    spent = os.times()
    print(f"the server took {spent.children_user + spent.children_system:.1f} CPU s in all, its start included")
    if set(codes) - {"200", "429"}:
        sys.exit(1)


if __name__ == "__main__":
    main()
