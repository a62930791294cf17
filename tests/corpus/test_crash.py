"""A process that is killed while it adds: every document is whole or not there, and adding again completes it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable

from averment.corpus.corpus import Corpus, kept_under
from averment.corpus.ingest import DocumentDraft
from averment.language.embeddings import HashedTfidfEmbedder
from averment.settings import Settings
from averment.store.corpus.passage_vectors import CorpusVectors
from averment.store.db.database import Database

ADD = """
import sys
from averment.corpus.corpus import Corpus
from averment.corpus.ingest import DocumentDraft
from averment.settings import Settings
from averment.store.db.database import Database

def drafts():
    for number in range(100_000):
        text = f"Document {number} speaks of matter {number * 7919 % 10_007} in its own words."
        yield DocumentDraft(
            url=f"https://example.org/{number}", title=f"Document {number}",
            text=text, raw=text.encode(),
        )

corpus = Corpus(Database.open(Settings.model_validate_json(sys.argv[1])))
for added in corpus.add(drafts()):
    print(added.url, flush=True)
"""


def test_a_killed_process_leaves_whole_documents_and_adding_goes_on(
    settings: Settings, draft: Callable[..., DocumentDraft]
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", ADD, settings.model_dump_json()],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    told = [process.stdout.readline().strip() for _ in range(200)]
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    database = Database.open(settings)
    corpus = Corpus(database)
    documents = {document.url: document for document in corpus.documents()}
    assert set(told) <= set(documents)
    index = corpus.index()
    assert sorted(index.documents) == sorted(document.document_id for document in documents.values())
    for document in list(documents.values())[:20]:
        assert corpus.snapshot(document.snapshot_sha256)
        assert corpus.raw(document.raw_sha256)
    assert [added.outcome for added in corpus.add([draft("New", "A new document.")])] == ["added"]
    corpus.close()
    database.close()


EMBED = """
import sys
from averment.corpus.corpus import Corpus
from averment.language.embeddings import HashedTfidfEmbedder
from averment.settings import Settings
from averment.store.db.database import Database

class Told(HashedTfidfEmbedder):
    def embed(self, texts):
        rows = super().embed(texts)
        print(len(texts), flush=True)
        return rows

corpus = Corpus(Database.open(Settings.model_validate_json(sys.argv[1])), Told())
corpus.start_vectors()
corpus.wait_vectors()
"""


def test_vectors_that_a_killed_process_left_are_computed_once_and_none_is_lost(
    home: Settings, draft: Callable[..., DocumentDraft]
) -> None:
    database = Database.open(home)
    corpus = Corpus(database, HashedTfidfEmbedder())
    many = 1_600
    added = [
        *corpus.add(draft(f"Paper {number}", f"Paper {number} speaks of matter {number}.") for number in range(many))
    ]
    assert len(added) == many == corpus.pending_vectors()
    process = subprocess.Popen(
        [sys.executable, "-c", EMBED, home.model_dump_json()], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    for _ in range(4):
        assert process.stdout.readline()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    left = corpus.pending_vectors()
    assert 0 < left < many
    assert corpus.finish_vectors() == left
    assert corpus.pending_vectors() == 0
    vectors = CorpusVectors(database, kept_under(HashedTfidfEmbedder())).all()
    assert len(vectors) == len({passage_id for passage_id, _ in vectors}) == many
    corpus.close()
    database.close()
