from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import numpy as np
import pytest

from averment.corpus.corpus import BATCH, Corpus, condensed
from averment.corpus.index.far_index import FarIndex
from averment.corpus.ingest import DocumentDraft
from averment.errors import InvalidArguments, SourceNotFound, VerificationFailed
from averment.language.embeddings import HashedTfidfEmbedder
from averment.settings import Settings
from averment.store.db.database import Database

Make = Callable[..., DocumentDraft]


def fill(corpus: Corpus, drafts: list[DocumentDraft]) -> None:
    assert [added.error for added in corpus.add(drafts)] == [None] * len(drafts)


@pytest.fixture
def library(draft: Make) -> list[DocumentDraft]:
    return [
        draft("Lothair II", "Lothair II was king of Lotharingia. He was the second son of Ermengarde of Tours."),
        draft("Ermengarde of Tours", "Ermengarde was a Frankish empress. She died on 20 March 851."),
        draft("Tours", "Tours is a city on the river Loire, known for its wine."),
        draft("Solar power", "Solar power is cheap. Panels turn light into current."),
        draft("Wind power", "Wind power grew by a tenth. Turbines turn wind into current."),
        draft("Glass", "Glass is made of sand and heat."),
    ]


def test_the_passage_that_holds_the_words_comes_first(corpus: Corpus, library: list[DocumentDraft]) -> None:
    fill(corpus, library)
    hits = corpus.search("how fast did wind power grow", 3)
    assert hits[0].title == "Wind power"
    assert hits[0].coverage > hits[-1].coverage
    assert corpus.quote(hits[0].snapshot_sha256, hits[0].start, hits[0].end) == hits[0].text


def test_a_search_before_any_vector_works_and_vectors_come_later(corpus: Corpus, library: list[DocumentDraft]) -> None:
    fill(corpus, library)
    assert corpus.pending_vectors() == len(library)
    assert corpus.search("solar panels", 1)[0].cosine is None
    assert corpus.finish_vectors() == len(library)
    assert corpus.pending_vectors() == 0
    found = corpus.search("solar panels", 1)[0]
    assert found.title == "Solar power"
    assert found.cosine is not None


def test_a_question_in_two_steps_finds_the_passage_that_only_the_first_one_names(
    corpus: Corpus, library: list[DocumentDraft]
) -> None:
    fill(corpus, library)
    corpus.finish_vectors()
    titles = [hit.title for hit in corpus.search_hops("When did Lothair II's mother die?", 2)]
    assert titles == ["Lothair II", "Ermengarde of Tours"]


def test_the_same_corpus_gives_the_same_order_whatever_the_order_it_was_filled_in(
    library: list[DocumentDraft], tmp_path_factory: pytest.TempPathFactory
) -> None:
    orders: list[list[tuple[str, float]]] = []
    for number, drafts in enumerate((library, library[::-1])):
        database = Database.open(Settings(home=tmp_path_factory.mktemp(f"home{number}")))
        corpus = Corpus(database, HashedTfidfEmbedder())
        fill(corpus, drafts)
        corpus.finish_vectors()
        hits = [*corpus.search("power current", 6), *corpus.search_hops("Who was the mother of Lothair II?", 6)]
        orders.append([(hit.passage_id, hit.score) for hit in hits])
        corpus.close()
        database.close()
    assert orders[0] == orders[1]


def test_a_search_within_some_documents_finds_nothing_else(local: Corpus, library: list[DocumentDraft]) -> None:
    fill(local, library)
    wanted = {document.document_id for document in local.documents() if document.title != "Wind power"}
    assert "Wind power" not in {hit.title for hit in local.search("wind power turbines", 10, within=wanted)}
    assert "Wind power" not in {hit.title for hit in local.search_hops("wind power turbines", 10, within=wanted)}
    only = {document.document_id for document in local.documents() if document.title == "Glass"}
    assert [hit.title for hit in local.search_hops("wind power turbines of glass", 10, within=only)] == ["Glass"]
    assert local.search_hops("wind power turbines", 10, within=set()) == []


def test_a_long_document_is_found_by_its_passage_and_its_title(local: Corpus, draft: Make) -> None:
    filler = "\n\n".join(f"Paragraph {number} speaks of ordinary matters at some length. " * 8 for number in range(30))
    text = f"{filler}\n\nThe reactor at Oldham was shut down in 1987 after a leak.\n\n{filler}"
    fill(local, [draft("Annual report", text), draft("Other", "The reactor was built in 1950.")])
    hit = local.search("when was the Oldham reactor shut down", 1)[0]
    assert "1987" in hit.text
    assert len(hit.text) < len(text) / 4


def test_vectors_in_the_background_end_and_a_second_process_goes_on(home: Settings, draft: Make) -> None:
    class Stopping(HashedTfidfEmbedder):
        def __init__(self) -> None:
            self.batches = 0

        def embed(self, texts):  # pyright: ignore[reportMissingParameterType, reportUnknownParameterType]
            self.batches += 1
            if self.batches > 1:
                raise RuntimeError("killed in the second batch")
            return super().embed(texts)

    drafts = [draft(f"Note {number}", f"Note about subject {number}.") for number in range(2 * BATCH)]
    database = Database.open(home)
    first = Corpus(database, Stopping())
    fill(first, drafts)
    first.start_vectors()
    assert first.wait_vectors(60)
    first.close()
    assert first.pending_vectors() == BATCH
    second = Corpus(database, HashedTfidfEmbedder())
    second.start_vectors()
    assert second.wait_vectors(60)
    whole = second.index()
    assert whole.with_vector == 2 * BATCH
    expected = HashedTfidfEmbedder().embed([condensed("Note 3", "Note about subject 3.")])[0]
    cosines, _ = whole.cosines(expected)
    assert np.isclose(cosines.max(), 1.0)
    second.close()
    database.close()


@pytest.mark.postgres
def test_a_large_corpus_on_postgres_is_searched_by_proposals_with_the_same_best_passages(
    home: Settings, copy_postgres: Callable[[], AbstractContextManager[str]], library: list[DocumentDraft], draft: Make
) -> None:
    with copy_postgres() as url:
        database = Database.open(home.model_copy(update={"database_url": url}))
        held, far = (Corpus(database, HashedTfidfEmbedder(), far_from=number) for number in (1_000, 10))
        others = [draft(f"Paper {number}", f"Paper {number} weighs matter {number % 7}.") for number in range(60)]
        fill(held, [*library, *others])
        assert far.finish_vectors() == len(library) + len(others)
        assert not isinstance(held.index(), FarIndex)
        assert isinstance(far.index(), FarIndex)
        for question in ("solar panels", "When did the mother of Lothair II die?", "matter 3"):
            for found in ("search", "search_hops"):
                near, exact = (getattr(each, found)(question, 3) for each in (far, held))
                assert [hit.passage_id for hit in near] == [hit.passage_id for hit in exact]
                assert near[0].cosine == exact[0].cosine
        [*far.add([draft("New", "Zebras cross the savannah.")])]
        assert far.search("zebras", 1)[0].title == "New"
        far.finish_vectors()
        assert far.remove(far.search("zebras", 1)[0].document_id)
        assert "New" not in [hit.title for hit in far.search("zebras", 10)]
        held.close()
        far.close()
        database.close()


def test_adding_while_vectors_are_computed_is_seen_by_the_next_search(
    corpus: Corpus, library: list[DocumentDraft]
) -> None:
    fill(corpus, library[:3])
    corpus.start_vectors()
    assert "Glass" not in [hit.title for hit in corpus.search("glass", 5)]
    fill(corpus, library[3:])
    corpus.start_vectors()
    assert corpus.search("what is glass made of", 1)[0].title == "Glass"


@pytest.mark.parametrize(("query", "k"), [("", 5), ("  ?! ", 5), ("power", 0), ("power", 1_001)])
def test_a_search_without_words_or_a_sensible_number_is_refused(local: Corpus, query: str, k: int) -> None:
    with pytest.raises(InvalidArguments):
        local.search(query, k)
    with pytest.raises(InvalidArguments):
        local.search_hops(query, k)


def test_an_empty_corpus_finds_nothing(corpus: Corpus) -> None:
    assert corpus.search("anything", 3) == []
    assert corpus.search_hops("anything", 3) == []
    with pytest.raises(SourceNotFound):
        corpus.document("nothing")


def test_a_changed_archive_is_named_and_not_quoted(local: Corpus, library: list[DocumentDraft], home: Settings) -> None:
    import sqlite3
    import zlib

    fill(local, library[:1])
    document = local.documents()[0]
    with sqlite3.connect(home.home / "db" / "averment.db") as connection:
        body = local.snapshot(document.snapshot_sha256).replace("second", "third_").encode()
        connection.execute(
            "UPDATE corpus_archive SET body = ? WHERE sha256 = ?", (zlib.compress(body), document.snapshot_sha256)
        )
    with pytest.raises(VerificationFailed) as caught:
        local.quote(document.snapshot_sha256, 0, 5)
    assert caught.value.details["sha256"] == document.snapshot_sha256


def test_offsets_outside_a_snapshot_are_refused(local: Corpus, library: list[DocumentDraft]) -> None:
    fill(local, library[:1])
    sha256 = local.documents()[0].snapshot_sha256
    for start, end in ((-1, 5), (5, 5), (0, 10_000)):
        with pytest.raises(InvalidArguments):
            local.quote(sha256, start, end)
