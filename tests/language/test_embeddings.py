"""Vectors: unit length, the same every time, near where the meaning is near."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.errors import AvermentError
from averment.language.embeddings import Embedder, HashedTfidfEmbedder, MiniLmEmbedder, default_embedder
from averment.language.embeddings.minilm import graph_path, model_dir
from averment.language.embeddings.minilm_graph import build_graph

TEXTS = ["total sales by region", "sum of revenue per area", "list all employees", "the sky is blue"]


@pytest.fixture(scope="session")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session", params=["hashed", "minilm"])
def embedder(request: pytest.FixtureRequest, cache_dir: Path) -> Embedder:
    return HashedTfidfEmbedder() if request.param == "hashed" else MiniLmEmbedder(cache_dir)


def test_every_vector_has_the_promised_length_and_norm(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert (vectors.shape, vectors.dtype) == ((4, embedder.dimension), np.float32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_text_has_the_same_bytes_alone_and_among_others(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    alone = np.vstack([embedder.embed([text]) for text in TEXTS])
    assert together.tobytes() == alone.tobytes()


def test_an_empty_text_is_a_zero_vector(embedder: Embedder) -> None:
    assert not embedder.embed(["", "   "]).any()
    assert embedder.embed([]).shape == (0, embedder.dimension)


def test_odd_texts_are_embedded_too(embedder: Embedder) -> None:
    assert np.isfinite(embedder.embed(["\ud800", "a" * 5000, "日本語", "\x00"])).all()


@pytest.mark.seed("A-059")
def test_the_sentence_model_is_near_where_the_meaning_is_near(cache_dir: Path) -> None:
    vectors = MiniLmEmbedder(cache_dir).embed(TEXTS)
    near = vectors @ vectors.T
    assert near[0, 1] > 0.5
    assert near[0, 1] > near[0, 2] > near[0, 3]


def test_the_fallback_is_near_where_the_words_are_near() -> None:
    vectors = HashedTfidfEmbedder().embed(["total sales by region", "the regions' total sale", "list all employees"])
    assert vectors[0] @ vectors[1] > 0.5 > vectors[0] @ vectors[2]


def test_the_small_graph_stays_close_to_the_full_one(cache_dir: Path, tmp_path: Path) -> None:
    import onnxruntime
    from tokenizers import Tokenizer

    full = tmp_path / "full.onnx"
    full.write_bytes(build_graph(model_dir(), quantised=False))
    session = onnxruntime.InferenceSession(str(full), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(model_dir() / "tokenizer.json"))
    tokenizer.no_padding()
    small = MiniLmEmbedder(cache_dir).embed(TEXTS)
    for place, text in enumerate(TEXTS):
        ids = np.array([tokenizer.encode(text).ids], np.int64)
        exact = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
        assert float(small[place] @ exact) > 0.985


def test_the_graph_is_built_once_and_leaves_no_scraps(cache_dir: Path) -> None:
    path = graph_path(cache_dir)
    before = path.stat().st_mtime_ns
    assert graph_path(cache_dir) == path
    assert path.stat().st_mtime_ns == before
    assert [one.name for one in cache_dir.iterdir() if one.suffix == ".tmp"] == []


def _build(folder: str) -> bytes:
    return graph_path(Path(folder)).read_bytes()


@pytest.mark.slow
def test_builders_at_the_same_time_agree_on_one_whole_file(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        first, *others = pool.map(_build, [str(tmp_path)] * 3)
    assert all(other == first for other in others)
    assert len(list(tmp_path.glob("*.onnx"))) == 1


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(AvermentError) as caught:
        MiniLmEmbedder(blocked / "cache").embed(["text"])
    assert caught.value.code == "HOME_NOT_WRITABLE"


def test_the_default_is_the_sentence_model_where_its_packages_are(tmp_path: Path) -> None:
    chosen = default_embedder(tmp_path)
    assert isinstance(chosen, Embedder)
    assert chosen.name == "minilm-l6-v2-int8"


def test_without_its_packages_the_fallback_is_chosen_and_named(tmp_path: Path) -> None:
    code = (
        "from importlib.machinery import PathFinder; real = PathFinder.find_spec\n"
        "PathFinder.find_spec = lambda name, *more: None if name == 'onnxruntime' else real(name, *more)\n"
        "from pathlib import Path; from averment.errors import MissingExtra\n"
        "from averment.language.embeddings import MiniLmEmbedder, default_embedder\n"
        f"print(default_embedder(Path({str(tmp_path)!r})).name)\n"
        "try: MiniLmEmbedder(Path('x'))\n"
        "except MissingExtra as error: print(error.code)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["hashed-tfidf-384", "MISSING_EXTRA"]


def test_nothing_heavy_is_imported_before_the_first_text() -> None:
    code = (
        "import sys, averment.language.embeddings, averment.language.periods, averment.language.numbers\n"
        "import averment.language.linking.values\n"
        "import averment.language.tokens, averment.language.sentences\n"
        "print([m for m in ('numpy', 'onnx', 'onnxruntime', 'tokenizers', 'safetensors', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@given(st.text())
def test_the_fallback_gives_the_same_bytes_each_time(text: str) -> None:
    one, two = HashedTfidfEmbedder().embed([text, text])
    assert one.tobytes() == two.tobytes()
    assert np.isclose(np.linalg.norm(one), 1, atol=1e-5) or not one.any()
