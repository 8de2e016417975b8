"""What other tools print for tests/parity/tiny: run them on the same model and texts, and keep the figures.

Needs, beside bitmeter: lm-eval, evaluate, minicons, lmppl, torchmetrics, and llama.cpp's llama-perplexity (with the
package gguf); and the metric perplexity.py of evaluate, which its package fetches from the hub. Type:
python tests/parity/make_figures.py LLAMA_PERPLEXITY PERPLEXITY_PY > tests/parity/tiny/figures.json
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import json
import re
import subprocess
import sys
import tempfile
import unittest.mock
from pathlib import Path
from typing import Any

TINY = Path(__file__).parent / "tiny"
TEXTS = [json.loads(line)["text"] for line in (TINY / "texts.jsonl").read_text(encoding="utf-8").splitlines()]
JOINED = (TINY / "joined.txt").read_bytes().decode()
CONTEXT = 64
#: Keys, values and attention of llama.cpp in float32; its table of GELU is in half precision all the same.
EXACT = ("-t", "1", "--no-warmup", "-ctk", "f32", "-ctv", "f32", "-fa", "off")


def lm_eval(texts: list[str]) -> dict[str, Any]:
    """A task of loglikelihood_rolling over these texts."""
    import lm_eval
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "rows.json").write_text("".join(json.dumps({"text": t}) + "\n" for t in texts))
        (Path(folder) / "task.yaml").write_text(
            f"""task: tiny
dataset_path: json
dataset_kwargs:
  data_files: {{test: {folder}/rows.json}}
test_split: test
output_type: loglikelihood_rolling
doc_to_text: ""
doc_to_target: "{{{{text}}}}"
should_decontaminate: false
metric_list:
  - {{metric: word_perplexity}}
  - {{metric: byte_perplexity}}
  - {{metric: bits_per_byte}}
"""
        )
        found = lm_eval.simple_evaluate(
            model=HFLM(pretrained=str(TINY), device="cpu", dtype="float32", batch_size=1),
            tasks=["tiny"],
            task_manager=TaskManager(include_path=folder),
        )
    row = found["results"]["tiny"]
    return {key: row[f"{key},none"] for key in ("word_perplexity", "byte_perplexity", "bits_per_byte")}


def hf_evaluate(texts: list[str], metric: str, **given: Any) -> dict[str, Any]:
    """`evaluate.load("perplexity")`."""
    import evaluate

    return dict(evaluate.load(metric).compute(model_id=str(TINY), predictions=texts, device="cpu", **given))


def minicons(texts: list[str], **given: Any) -> list[float]:
    """`sequence_score` with its usual reduction, the mean."""
    from minicons import scorer

    found = scorer.IncrementalLMScorer(str(TINY), "cpu").sequence_score(texts, **given)
    return [float(value) for value in found]


def lmppl(texts: list[str]) -> list[float]:
    """`get_perplexity`, text by text."""
    import lmppl
    import transformers

    # Its argument use_auth_token, always None here, is unknown to today's transformers.
    loading = transformers.AutoModelForCausalLM.from_pretrained

    def without_token(*words: Any, use_auth_token: Any = None, **given: Any) -> Any:
        return loading(*words, **given)

    with unittest.mock.patch.object(transformers.AutoModelForCausalLM, "from_pretrained", without_token):
        found = lmppl.LM(str(TINY)).get_perplexity(texts, batch_size=1)
    return [float(value) for value in found]


def torchmetrics(texts: list[str]) -> float:
    """Text by text, shifted by the caller, without BOS."""
    import torch
    import transformers
    from torchmetrics.text import Perplexity

    tokenizer = transformers.AutoTokenizer.from_pretrained(TINY)
    network = transformers.AutoModelForCausalLM.from_pretrained(TINY)
    metric = Perplexity()
    for text in texts:
        ids = torch.tensor(tokenizer(text)["input_ids"])[None]
        with torch.no_grad():
            metric.update(network(ids).logits[:, :-1], ids[:, 1:])
    return float(metric.compute())


def hf_docs(text: str, stride: int) -> float:
    """The loop of the manual of transformers (Perplexity of fixed-length models), written from its description."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(TINY)
    network = transformers.AutoModelForCausalLM.from_pretrained(TINY)
    ids = torch.tensor(tokenizer(text)["input_ids"])[None]
    size, done, nats, counted = ids.shape[1], 0, torch.tensor(0.0), 0
    for begin in range(0, size, stride):
        end = min(begin + CONTEXT, size)
        window = ids[:, begin:end]
        labels = window.clone()
        labels[:, : -(end - done)] = -100
        with torch.no_grad():
            loss = network(window, labels=labels).loss
        number = int((labels != -100).sum()) - 1  # as the manual subtracts one in every window
        nats, counted, done = nats + loss * number, counted + number, end
        if end == size:
            break
    return float(torch.exp(nats / counted))


def write_gguf(path: Path) -> None:
    """The tiny GPT-2 as llama.cpp reads it, in float32."""
    import gguf
    import safetensors.torch

    config = json.loads((TINY / "config.json").read_text())
    tokens = json.loads((TINY / "tokenizer.json").read_text())
    weights = {
        name.removeprefix("transformer."): value.float()
        for name, value in safetensors.torch.load_file(TINY / "model.safetensors").items()
    }
    writer = gguf.GGUFWriter(str(path), "gpt2")
    writer.add_context_length(config["n_positions"])
    writer.add_embedding_length(config["n_embd"])
    writer.add_feed_forward_length(4 * config["n_embd"])
    writer.add_block_count(config["n_layer"])
    writer.add_head_count(config["n_head"])
    writer.add_layer_norm_eps(config["layer_norm_epsilon"])
    vocabulary = dict(tokens["model"]["vocab"])
    special = {entry["content"]: entry["id"] for entry in tokens["added_tokens"]}
    names = {number: name for name, number in (vocabulary | special).items()}
    listed = [names.get(i, f"[unused{i}]") for i in range(config["vocab_size"])]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(listed)
    writer.add_token_types([3 if name in special else 1 for name in listed])
    writer.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in tokens["model"]["merges"]])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    writer.add_add_bos_token(False)

    def put(name: str, value: Any) -> None:
        writer.add_tensor(name, value.contiguous().numpy())

    put("token_embd.weight", weights["wte.weight"])
    put("output.weight", weights["wte.weight"])
    put("position_embd.weight", weights["wpe.weight"])
    for theirs, ours in (("ln_f", "output_norm"),):
        put(f"{ours}.weight", weights[f"{theirs}.weight"])
        put(f"{ours}.bias", weights[f"{theirs}.bias"])
    parts = {
        "ln_1": "attn_norm", "ln_2": "ffn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output",
        "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down",
    }  # fmt: skip
    for block in range(config["n_layer"]):
        for theirs, ours in parts.items():
            weight = weights[f"h.{block}.{theirs}.weight"]
            put(f"blk.{block}.{ours}.weight", weight if theirs.startswith("ln") else weight.T)
            put(f"blk.{block}.{ours}.bias", weights[f"h.{block}.{theirs}.bias"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def llama_cpp(program: str) -> dict[str, Any]:
    """`llama-perplexity -c 64` on the joined text."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "tiny.gguf"
        write_gguf(model)
        command = [program, "-m", str(model), "-f", str(TINY / "joined.txt"), "-c", str(CONTEXT), "-b", str(CONTEXT)]
        done = subprocess.run([*command, *EXACT], capture_output=True, text=True, check=False)
        output = done.stdout + done.stderr
        found = re.search(r"Final estimate: PPL = ([\d.]+) \+/- ([\d.]+)", output)
        if found is None:
            raise SystemExit(output[-3000:])
        about = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
        version = re.search(r"version: (.*)", about.stdout + about.stderr)
    return {"PPL": found[1], "+/-": found[2], "version": version[1] if version else "", "options": " ".join(EXACT)}


def main(program: str, metric: str) -> None:
    """Run all."""
    packages = ("lm_eval", "evaluate", "minicons", "lmppl", "torchmetrics", "torch", "transformers")
    noise = io.StringIO()
    with contextlib.redirect_stdout(noise):
        found = {
            "versions": {name: importlib.metadata.version(name) for name in packages},
            "lm-eval": {"texts": lm_eval(TEXTS), "joined": lm_eval([JOINED])},
            "hf-evaluate": hf_evaluate(TEXTS, metric),
            "minicons": {"plain": minicons(TEXTS), "bos": minicons(TEXTS, bos_token=True)},
            "lmppl": lmppl(TEXTS),
            "torchmetrics": torchmetrics(TEXTS),
            "hf-docs": {"64.64": hf_docs(JOINED, 64), "64.32": hf_docs(JOINED, 32), "64.10": hf_docs(JOINED, 10)},
            "llama.cpp": llama_cpp(program),
        }
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
