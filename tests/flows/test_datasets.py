"""Datasets through the facade: kept, described, read as described, asked, built, completed, and each user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.errors import InvalidRequest, MissingColumn, PolicyError, SourceEmpty, SourceNotFound, StoreConflict
from averment.plans.plan import parse_plan
from averment.settings import Settings
from averment.workbench.for_user import UserBench
from passengers import write_passengers

KEPT = "dataset:passengers"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_passengers(tmp_path)


def read(workbench: Workbench, question: str) -> tuple[str, str | None]:
    run = workbench.analyze(question, KEPT, deliverables=("summary",))
    return run.status, run.read_back


def test_a_dataset_stays_when_the_home_is_opened_again(tmp_path: Path, table: Path) -> None:
    with Workbench(home=tmp_path / "home") as workbench:
        kept = workbench.datasets.add(table, description="who was on board")
        assert (kept.name, kept.origin) == ("passengers", "place")
    with Workbench(home=tmp_path / "home") as workbench:
        assert [one.name for one in workbench.datasets.list()] == ["passengers"]
        assert workbench.datasets.get(kept.dataset_id).description == "who was on board"
        assert "120" in str(workbench.analyze("how many passengers are there", KEPT).answer)


def test_what_cannot_be_read_or_named_is_not_kept(workbench: Workbench, tmp_path: Path, table: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_text("")
    with pytest.raises(SourceEmpty):
        workbench.datasets.add(empty)
    with pytest.raises(InvalidRequest):
        workbench.datasets.add(table, name="../passwd")
    workbench.datasets.add(table)
    with pytest.raises(StoreConflict):
        workbench.datasets.add(table, name="passengers")
    assert workbench.datasets.add(table).name == "passengers_2"
    with pytest.raises(SourceNotFound):
        workbench.analyze("how many rows", "dataset:nothing")


def test_a_look_shows_rows_columns_histograms_missing_values_and_keys(workbench: Workbench, table: Path) -> None:
    dataset = workbench.datasets.add(table)
    (seen,) = workbench.datasets.look.tables(dataset)
    columns = {one.profile.name: one for one in seen.columns}
    assert (seen.rows, seen.keys) == (120, ("passenger_id", "name"))
    assert columns["age"].profile.nulls == 120 - sum(bar.rows for bar in columns["age"].bars)
    assert sum(bar.rows for bar in columns["fare"].bars) == 120 and len(columns["fare"].bars) == 12
    assert [bar.label for bar in columns["survived"].bars] == ["0", "1"]
    names, rows, total = workbench.datasets.look.rows(dataset, "passengers", page=3)
    assert (names[0], len(rows), rows[0][0], total) == ("passenger_id", 20, 101, 120)


def test_a_question_is_read_otherwise_once_a_column_is_called_something(workbench: Workbench, table: Path) -> None:
    workbench.datasets.add(table)
    assert read(workbench, "average voyage score by class")[0] == "clarification_needed"
    workbench.datasets.describe_column("passengers", "fare", label="Voyage score")
    assert read(workbench, "average voyage score by class") == ("completed", "average fare, by class, in passengers")
    workbench.datasets.describe_column("passengers", "fare", label="")
    assert read(workbench, "average voyage score by class")[0] == "clarification_needed"


def test_words_of_a_description_and_of_a_unit_lead_to_their_column(workbench: Workbench, table: Path) -> None:
    workbench.datasets.add(table)
    assert read(workbench, "average surcharge by port")[0] == "clarification_needed"
    workbench.datasets.describe_column("passengers", "fare", description="What the surcharge came to", unit="GBP")
    assert read(workbench, "average surcharge by port") == ("completed", "average fare, by port, in passengers")
    assert read(workbench, "total pounds by class") == ("completed", "total fare, by class, in passengers")


def test_a_role_and_a_rate_as_unit_change_what_is_computed(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "shifts.csv"
    rows = [f"{n},{('early', 'late')[n % 2]},{n % 7 * 10},{n % 5}" for n in range(1, 61)]
    path.write_text("shift,team,load_total,line\n" + "\n".join(rows) + "\n")
    dataset = workbench.datasets.add(path, name="shifts")
    before = {column.name: set(column.roles) for column in workbench.datasets.look.schema(dataset).columns}
    assert "measure" in before["line"]
    assert workbench.datasets.look.schema(dataset).column("shifts", "load_total").additive  # type: ignore[union-attr]
    workbench.datasets.describe_column("shifts", "line", role="category")
    dataset = workbench.datasets.describe_column("shifts", "load_total", unit="percent")
    schema = workbench.datasets.look.schema(dataset)
    line, load = schema.column("shifts", "line"), schema.column("shifts", "load_total")
    assert line is not None and load is not None
    assert line.has("category") and not line.has("measure") and not load.additive
    with pytest.raises(InvalidRequest):
        workbench.datasets.describe_column("shifts", "line", role="nonsense")
    with pytest.raises(MissingColumn):
        workbench.datasets.describe_column("shifts", "lines", role="category")


@pytest.mark.parametrize(
    ("word", "means", "question", "expected"),
    [
        ("children", "age is under 16", "how many children by sex", "number of rows, by sex, where age is under 16"),
        ("tariff", "fare", "average tariff by port", "average fare, by port"),
        ("abroad", "Cherbourg, Queenstown", "how many passengers abroad", "port is one of Cherbourg, Queenstown"),
    ],
)
def test_a_word_that_is_taught_in_a_dataset_is_used_there(
    workbench: Workbench, table: Path, word: str, means: str, question: str, expected: str
) -> None:
    workbench.datasets.add(table)
    workbench.datasets.teach("passengers", word, means)
    status, said = read(workbench, question)
    assert status == "completed" and said is not None and expected in said
    same = workbench.analyze(question, [table], deliverables=("summary",))
    assert same.read_back == said, "the very file that is kept is read as it is described"
    copy = table.rename(table.with_name("others.csv"))
    other = workbench.analyze(question, [copy], deliverables=("summary",))
    assert word not in (other.read_back or ""), "a word of a dataset is the dataset's alone"
    workbench.datasets.forget_word("passengers", word)
    assert workbench.datasets.get("passengers").meanings == ()


def test_a_meaning_that_cannot_be_read_is_not_kept(workbench: Workbench, table: Path) -> None:
    workbench.datasets.add(table)
    with pytest.raises(InvalidRequest):
        workbench.datasets.teach("passengers", "luck", "qwertz uiop")
    assert workbench.datasets.get("passengers").meanings == ()


def test_every_suggested_question_is_answered_as_it_was_meant(workbench: Workbench, table: Path) -> None:
    dataset = workbench.datasets.add(table)
    found = workbench.datasets.look.suggestions(dataset)
    assert len(found) == 6
    for one in found:
        run = workbench.analyze(one.question, KEPT, deliverables=("summary",))
        assert (one.question, run.status, run.read_back) == (one.question, "completed", one.read_back)


def test_a_question_that_the_reader_does_not_answer_is_not_suggested(
    workbench: Workbench, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from averment.plans.plan import Measure, Plan
    from averment.reading import suggestions

    plan = Plan(table="passengers", measures=(Measure(function="rows"),), expects="figure")
    unread = suggestions.SuggestedQuestion("zork the frobnicated quux", plan)
    misread = suggestions.SuggestedQuestion("median age", plan)
    monkeypatch.setattr(suggestions, "suggested", lambda _: iter([unread, misread]))
    assert workbench.datasets.look.suggestions(workbench.datasets.add(table)) == ()


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("average fare by class", {"function": "mean", "of": "fare", "by": ["class"]}),
        ("how many passengers by sex", {"function": "rows", "by": ["sex"]}),
        ("median age", {"function": "median", "of": "age"}),
        ("survived rate by sex", {"function": "rate", "of": "survived", "by": ["sex"]}),
        (
            "which class has the highest average fare",
            {"function": "mean", "of": "fare", "by": ["class"], "order": "highest", "limit": "1"},
        ),
        (
            "top 2 classes by average fare",
            {"function": "mean", "of": "fare", "by": ["class"], "order": "highest", "limit": 2},
        ),
        (
            "average fare by class where sex is female and age is over 30",
            {"function": "mean", "of": "fare", "by": ["class"], "where": [["sex", "=", "Female"], ["age", ">", "30"]]},
        ),
        (
            "average fare by class sorted by average fare ascending",
            {"function": "mean", "of": "fare", "by": ["class"], "order": "lowest"},
        ),
    ],
)
def test_a_built_plan_is_the_plan_that_the_words_make(
    workbench: Workbench, table: Path, question: str, form: dict[str, Any]
) -> None:
    dataset = workbench.datasets.add(table)
    built = workbench.datasets.look.plan(dataset, form)
    asked = workbench.analyze(question, KEPT, deliverables=("summary",))
    assert asked.plan is not None and parse_plan(asked.plan).hash == built.hash
    run = workbench.run_plan(built, KEPT)
    assert run.marks.interpretation.code == "given" and run.answer == asked.answer


def test_a_form_that_describes_no_plan_is_refused(workbench: Workbench, table: Path) -> None:
    from averment.errors import InvalidArguments

    dataset = workbench.datasets.add(table)
    wrong: list[dict[str, Any]] = [
        {"function": "mean"},
        {"function": "mean", "of": "name"},
        {"function": "mean", "of": "passenger_id", "by": ["class"]},
        {"function": "sum", "of": "nothing"},
        {"function": "rows", "by": ["class|month"]},
        {"function": "rows", "where": [["age", ">", "old"]]},
        {"function": "rows", "by": ["class"], "limit": "many"},
    ]
    for form in wrong:
        with pytest.raises(InvalidArguments):
            workbench.datasets.look.plan(dataset, form)


def test_names_of_columns_values_and_taught_words_are_completed(workbench: Workbench, table: Path) -> None:
    workbench.datasets.add(table)
    dataset = workbench.datasets.teach("passengers", "children", "age is under 16")

    def completed(text: str) -> list[tuple[str, str, int]]:
        return [(one.text, one.kind, one.start) for one in workbench.datasets.look.complete(dataset, text)]

    assert completed("average fa") == [("fare", "column", 8)]
    assert completed("how many from Sou") == [("Southampton", "value", 14)]
    assert completed("how many chil") == [("children", "word", 9)]
    assert completed("average fare ") == [] == completed("zzz")


def test_a_follow_up_and_a_choice_go_on_with_the_dataset(workbench: Workbench, table: Path) -> None:
    workbench.datasets.add(table)
    workbench.datasets.describe_column("passengers", "fare", label="ticket price")
    first = workbench.analyze("average ticket price by class", KEPT)
    then = workbench.analyze("the median ticket price instead", workbench.runs.start.sources_of(first.id), after=first)
    assert then.read_back is not None and then.read_back.startswith("median fare, by class")


def test_datasets_of_the_settings_are_there_and_stay_in_them(tmp_path: Path, table: Path) -> None:
    settings = Settings(home=tmp_path / "home", datasets={"liner": str(table)})
    with Workbench(settings=settings) as workbench:
        assert [(one.name, one.origin) for one in workbench.datasets.list()] == [("liner", "settings")]
        workbench.datasets.describe_column("liner", "fare", label="ticket price")
        assert workbench.analyze("average ticket price", "dataset:liner").status == "completed"
        with pytest.raises(InvalidRequest):
            workbench.datasets.remove("liner")


def test_a_password_is_never_written_down(tmp_path: Path) -> None:
    secret = "postgresql://reader:hunter2@127.0.0.1:1/shop"
    settings = Settings(home=tmp_path / "home", datasets={"shop": secret})
    with Workbench(settings=settings) as workbench:
        (kept,) = workbench.datasets.list()
        assert kept.places == ("postgresql://reader@127.0.0.1:1/shop",)
        assert "hunter2" not in repr(workbench.settings)
    assert b"hunter2" not in b"".join(path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file())


def test_only_files_below_the_folders_may_be_connected_from_a_form(tmp_path: Path, table: Path) -> None:
    inside = tmp_path / "shared"
    inside.mkdir()
    (inside / "passengers.csv").write_bytes(table.read_bytes())
    (inside / "sly.csv").symlink_to(table)
    settings = Settings(home=tmp_path / "home", data_folders=(str(inside),))
    with Workbench(settings=settings) as workbench:
        assert workbench.datasets.connect(str(inside / "passengers.csv")).name == "passengers"
        for place in (str(table), str(inside / "sly.csv"), str(inside / ".." / "passengers.csv"), f"file://{table}"):
            with pytest.raises(PolicyError):
                workbench.datasets.connect(place)


def test_each_user_has_datasets_of_their_own(workbench: Workbench, table: Path) -> None:
    anna, bob = (UserBench(workbench, workbench.home.users, name) for name in ("anna", "bob"))
    kept = anna.datasets.add(table, name="mine")
    workbench.datasets.add(table, name="ours")
    assert [one.name for one in anna.datasets.list()] == ["mine"]
    assert bob.datasets.list() == []
    for other, name in ((bob, "mine"), (bob, kept.dataset_id), (bob, "ours"), (anna, "ours")):
        with pytest.raises(SourceNotFound):
            other.analyze("how many passengers are there", f"dataset:{name}")
        with pytest.raises(SourceNotFound):
            other.datasets.remove(name)
    with pytest.raises(SourceNotFound):
        workbench.analyze("how many passengers are there", "dataset:mine")
    assert anna.analyze("how many passengers are there", "dataset:mine").status == "completed"
    with pytest.raises(PolicyError):
        anna.datasets.connect(str(table))
