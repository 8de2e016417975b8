"""The header of a GGUF file."""

from __future__ import annotations

import struct

from engine import Folder, main

from bitmeter.models.causal.gguf.header import read_header

FOLDER = Folder()


def _string(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def seeds() -> list[bytes]:
    values = [
        _string("general.architecture") + struct.pack("<I", 8) + _string("llama"),
        _string("general.alignment") + struct.pack("<II", 4, 32),
        _string("llama.context_length") + struct.pack("<II", 4, 48),
        _string("tokenizer.ggml.model") + struct.pack("<I", 8) + _string("gpt2"),
        _string("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 2) + _string("a") + _string("b"),
        _string("tokenizer.ggml.scores") + struct.pack("<IIQ", 9, 6, 2) + struct.pack("<ff", 0.0, 1.0),
        _string("tokenizer.ggml.add_bos_token") + struct.pack("<I?", 7, True),
    ]
    weight = _string("token_embd.weight") + struct.pack("<IQQIQ", 2, 4, 2, 0, 0)
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, len(values)) + b"".join(values) + weight
    return [head + bytes(-len(head) % 32) + bytes(32)]


def run(data: bytes) -> None:
    header = read_header(FOLDER.file("m.gguf", data))
    assert header.kind, "how the weights are stored"


if __name__ == "__main__":
    main("gguf_header", run, seeds)
