"""The program of one process of `hf_devices`: it loads a network on its device and rates what it is sent."""

from __future__ import annotations

import os
import sys

from bitmeter.errors import BitmeterError
from bitmeter.models.causal.hf.devices import receive, send
from bitmeter.models.causal.hf.model import HuggingFace


def main() -> None:
    """Answer questions from standard input until it ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed must not come between the answers
    questions = sys.stdin.buffer
    model: HuggingFace | None = None
    while True:
        try:
            number, question = receive(questions)
        except EOFError:
            return
        try:
            if model is None:
                model, found = HuggingFace(**question), None
            else:
                sequences, firsts, way = question
                found = model.with_arithmetic(way).score_sequences(sequences, firsts)
        except BitmeterError as error:
            send(answers, (number, True, str(error)))
        else:
            send(answers, (number, False, found))


if __name__ == "__main__":
    main()
