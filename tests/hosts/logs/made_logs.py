"""Responses of servers as their documentation shows them, and the folder of genuine logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

GENUINE = Path(__file__).parents[2] / "data" / "logs"


def chat(*tokens: tuple[str, float], **more: Any) -> dict[str, Any]:
    content = [{"token": t, "logprob": p, "bytes": list(t.encode()), "top_logprobs": []} for t, p in tokens]
    return {"object": "chat.completion", "model": "gpt-x", "choices": [{"logprobs": {"content": content}}], **more}


def completion(*tokens: tuple[str, float | None], **more: Any) -> dict[str, Any]:
    logprobs = {
        "tokens": [t for t, _ in tokens], "token_logprobs": [p for _, p in tokens], "top_logprobs": None,
        "text_offset": [],
    }  # fmt: skip
    return {"object": "text_completion", "model": "davinci", "choices": [{"text": "", "logprobs": logprobs}], **more}


def vllm(*positions: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    return {"model": "served", "choices": [{"text": "", "logprobs": None, "prompt_logprobs": list(positions), **more}]}


def position(token: str, logprob: float, number: int = 7, **others: float) -> dict[str, Any]:
    found = {str(number): {"logprob": logprob, "rank": 2, "decoded_token": token}}
    return found | {
        str(100 + i): {"logprob": p, "rank": 1, "decoded_token": t} for i, (t, p) in enumerate(others.items())
    }


def llama(*tokens: tuple[str, float], **more: Any) -> dict[str, Any]:
    found = [{"id": 1, "token": t, "bytes": list(t.encode()), "logprob": p, "top_logprobs": []} for t, p in tokens]
    return {"content": "", "completion_probabilities": found, "model": "tiny.gguf", **more}


def write(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path
