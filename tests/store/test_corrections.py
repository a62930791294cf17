"""What people told about their words: one meaning a word and schema, replaced when told again, forgotten when asked."""

from averment.store.db.database import Database
from averment.store.knowledge.corrections import Correction, CorrectionStore

SCHEMA = (("sales", "net_amount", "DECIMAL(18,2)"), ("sales", "region", "VARCHAR"))


def told(word: str, column: str, fingerprint: str = "a" * 64) -> Correction:
    return Correction(schema_fingerprint=fingerprint, word=word, table="sales", column=column, schema_columns=SCHEMA)


def test_a_correction_reads_back_as_it_was_kept(database: Database) -> None:
    store = CorrectionStore(database)
    kept = store.save(told("revenue", "net_amount"))
    assert store.get(kept.correction_id) == kept
    assert store.list() == [kept]
    assert kept.schema_columns == SCHEMA


def test_telling_a_word_again_replaces_its_meaning_for_that_schema_alone(database: Database) -> None:
    store = CorrectionStore(database)
    first = store.save(told("revenue", "net_amount"))
    other = store.save(told("revenue", "net_amount", "b" * 64))
    again = store.save(told("revenue", "region"))
    assert again.correction_id == first.correction_id
    assert {each.column for each in store.list()} == {"region", "net_amount"}
    assert store.get(other.correction_id) == other
    assert store.save(told("revenue", "region")) == again


def test_corrections_are_forgotten_one_by_one_or_all(database: Database) -> None:
    store = CorrectionStore(database)
    kept = store.save(told("revenue", "net_amount"))
    store.save(told("turnover", "net_amount"))
    assert store.forget(kept.correction_id)
    assert not store.forget(kept.correction_id)
    assert store.forget_all() == 1
    assert store.list() == []
