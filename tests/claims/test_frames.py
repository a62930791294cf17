"""A document says what its claims say, its frames around what was recorded, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.claims.frames import AllowedSentences, Frame
from averment.errors import UntrueClaim
from averment.reports.document import Bullets, Code, Document, Grid, Heading, Paragraph, Picture
from averment.reports.walk import words_of

CLAIMS = ("Sun has the highest average tip, 3.26.", "Sun has the highest average tip, 3.26. No, really.")
FRAMES = (Frame("Read as: {reading}."), Frame("Parameters: {parameters*}."), Frame("Nothing was cut."))
ALLOWED = {"reading": ["average tip, by day, in tips"], "parameters": ["'Sun'", "3"]}
TOLD = AllowedSentences(CLAIMS, FRAMES, ALLOWED)


@pytest.mark.parametrize(
    "text",
    [
        "",
        CLAIMS[0],
        f"{CLAIMS[0]} {CLAIMS[0]}\nNothing was cut.",
        CLAIMS[1],
        "Read as: average tip, by day, in tips.",
        "Parameters: 3, 'Sun', 3.",
    ],
)
def test_what_claims_and_frames_say_passes(text: str) -> None:
    assert TOLD.loose(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Sun has the highest average tip, 3.27.",
        f"{CLAIMS[0]} That is a tenfold rise.",
        f"{CLAIMS[0]}That is half.",
        "Half of all tips were zero.",
        "Der Umsatz hat sich verdoppelt.",
        "収入は三倍になった。",
        "It rose by ٣٠ %.",
        "Read as: average tip, by day and time, in tips.",
        "Parameters: 4.",
        "Read as: {reading}.",
        "Nothing was cut",
        f"As was said: {CLAIMS[0]}",
    ],
)
def test_whatever_else_is_said_is_found(text: str) -> None:
    assert TOLD.loose(text)
    with pytest.raises(UntrueClaim):
        TOLD.check([("answer", text)])


LISTS = (Frame("By {a*}: {b+}."), Frame("For {a&}."), Frame("Step {n} of {n}."), Frame("Day {d}"))
HELD = {"a": ["x", "x y", ""], "b": ["1", "2"], "n": str.isdigit, "d": lambda text: text.endswith("!")}


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("By x, x y: 1; 2.", True),
        ("By x y: 1.", True),
        ("By x; x y: 1.", False),
        ("By x: 1, 2.", False),
        ("By x,x: 1.", False),
        ("By : 1.", False),
        ("For x, x y and x.", True),
        ("For x; x.", False),
        ("Step 1 of 12.", True),
        ("Step 1 of x.", False),
        ("Step x of 1.", False),
        ("Day one!", True),
        ("Day one! two!", True),
        ("Day one! Step 1 of 2.", False),
        ("Day one!\nStep 1 of 2.", True),
        ("Day one", False),
        ("Step 1 of 2. For x.", True),
        ("Step 1 of 2.For x.", False),
        ("  Step 1 of 2.\n\n", True),
    ],
)
def test_a_hole_takes_what_it_is_allowed_and_a_list_its_own_marks(text: str, passes: bool) -> None:
    assert (AllowedSentences((), LISTS, HELD).loose(text) is None) is passes


def test_a_frame_knows_its_holes() -> None:
    assert Frame("By {a*}: {b+} and {c}.").holes == ("a", "b", "c")


def test_what_is_loose_is_shown_from_where_nothing_fits() -> None:
    stray = f"But {'x' * 200}"
    assert TOLD.loose(f"{CLAIMS[0]} {stray}") == stray[:120]
    assert TOLD.loose(f"Nothing was cut. {CLAIMS[1]} Stray") == "Stray"
    with pytest.raises(UntrueClaim) as refused:
        TOLD.check([("title", CLAIMS[0]), ("answer", "Stray")])
    assert refused.value.details == {"place": "answer"}


def test_each_place_of_a_text_is_read_once() -> None:
    asked: list[str] = []
    frames = (Frame("Go {n}."),)
    told = AllowedSentences(("x", "x x", "x x x"), frames, {"n": lambda text: bool(asked.append(text)) or True})
    assert told.loose(f"{'x ' * 12}Go 1. stray") == "stray"
    assert asked == ["1"]
    held = {"n": ["a", "a b"]}
    assert AllowedSentences((), (Frame("On {n}"),), held).loose("On a b On a") is None


def test_a_longer_sentence_is_tried_besides_a_shorter_one() -> None:
    assert AllowedSentences(("A is so.", "A is so. B", "C."), (), {}).loose("A is so. B C.") is None
    assert AllowedSentences(("A is so. B", "A is so."), (), {}).loose("A is so. B C.") == "C."
    assert AllowedSentences(("  A is so. ", " "), (), {}).loose("A is so.") is None


def test_a_frame_whose_hole_has_nothing_to_hold_says_nothing() -> None:
    assert AllowedSentences((), (Frame("The step {step} failed."),), {"step": []}).loose("The step x failed.")


def test_every_place_where_words_can_stand_is_walked() -> None:
    document = Document(
        title="a title",
        blocks=(
            Heading(text="a heading"),
            Paragraph(text="a paragraph"),
            Bullets(items=("first item", "second item")),
            Grid(header=("a",), rows=(("1",),), numeric=(True,), caption="a caption"),
            Picture(name="chart.png", alt="a description"),
            Code(text="SELECT 1"),
        ),
    )
    said = [text for _, text in words_of(document)]
    assert said == ["a title", "a heading", "a paragraph", "first item", "second item", "a caption", "a description"]


@given(st.text(alphabet="ab {}", max_size=12), st.integers(min_value=0, max_value=3))
def test_a_frame_that_may_not_begin_somewhere_never_reads_there(text: str, at: int) -> None:
    for template in ("a{x} b", "{x}a", "a {x*} b{x}", "ab", "{x}"):
        frame = Frame(template)
        reader = frame.reader({"x": ["a", "b a", "{"]})
        assert reader is not None
        assert frame.may_begin(text, at) or reader.end(text, at) is None
