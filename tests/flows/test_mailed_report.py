"""A report that was mailed is checked by whoever gets it, with nothing but the file and its sources."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from averment import Workbench
from averment.errors import VerificationFailed
from averment.runtime.verification.verdict import Verification
from averment.settings import Settings


class Mailed:
    """A report in a folder of its own, far from the home that made it."""

    def __init__(self, report: Path, source: Path, key: str) -> None:
        self.report, self.source, self.key = report, source, key

    def verify(self, *sources: Path, keys: tuple[str, ...] = ()) -> Verification:
        with Workbench(settings=Settings(home=self.report.parent / "none", model_provider="none")) as workbench:
            return workbench.ledger.verify_report(self.report, sources=sources, keys=keys)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Mailed:
    folder = tmp_path_factory.mktemp("sender")
    source = folder / "sales.csv"
    source.write_text("day,region,amount\n2024-01-05,West,10.50\n2024-01-20,East,7.25\n2024-02-01,West,3.10\n")
    with Workbench(settings=Settings(home=folder / "home", model_provider="none")) as workbench:
        run = workbench.analyze("total amount by region", [source])
        return Mailed(
            workbench.runs.export(run.id, "html", folder / "report.html"), source, workbench.ledger.public_key()
        )


@pytest.fixture
def mailed(made: Mailed, tmp_path: Path) -> Mailed:
    return Mailed(Path(shutil.copy(made.report, tmp_path / "report.html")), made.source, made.key)


def test_an_untouched_report_holds_and_every_number_is_computed_again(mailed: Mailed) -> None:
    verdict = mailed.verify(mailed.source, keys=(mailed.key,))
    assert verdict.ok, verdict.faults
    assert verdict.numbers_rederived >= 9
    assert {"signature", "key", "seal", "report", "answer"} <= {check.subject for check in verdict.checks}


def test_sources_beside_the_report_are_found_and_a_renamed_one_is_known_by_its_content(mailed: Mailed) -> None:
    renamed = Path(shutil.copy(mailed.source, mailed.report.parent / "copy of sales.csv"))
    assert mailed.verify(renamed).numbers_rederived >= 9
    shutil.copy(mailed.source, mailed.report.parent / "sales.csv")
    assert mailed.verify().numbers_rederived >= 9


def test_without_sources_it_says_that_nothing_was_computed_again(mailed: Mailed) -> None:
    verdict = mailed.verify()
    assert verdict.ok
    assert verdict.numbers_rederived == 0
    assert any("no source was given" in check.detail for check in verdict.checks)


def test_it_names_no_path_of_the_machine_that_made_it(made: Mailed) -> None:
    import averment.runtime.verification.capsule as capsule

    content = made.report.read_bytes()
    _, body, _, _ = capsule.disclose(content)
    assert str(made.source.parent) not in content.decode()
    assert str(made.source.parent) not in str(body)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda text: text.replace(b"13.60", b"93.60", 1), "line "),
        (lambda text: text.replace(b"West", b"Wist", 1), "line "),
        (lambda text: text.replace(b"<p>", b"<p>Sales collapsed. ", 1), "line "),
        (lambda text: text.replace(b"</main>", b"<p>Bought by a rival.</p></main>", 1), "line "),
        (lambda text: text.replace(b"data:image/png;base64,iVBOR", b"data:image/png;base64,iVBOS", 1), "signed"),
    ],
    ids=["digit", "name", "sentence", "appended", "picture"],
)
def test_whatever_is_changed_in_the_file_is_named(mailed: Mailed, change: Callable[[bytes], bytes], named: str) -> None:
    content = mailed.report.read_bytes()
    assert change(content) != content
    mailed.report.write_bytes(change(content))
    verdict = mailed.verify(mailed.source)
    assert not verdict.ok
    assert named in " ".join(check.detail for check in verdict.faults)


def test_a_changed_source_is_named(mailed: Mailed) -> None:
    source = mailed.report.parent / "sales.csv"
    source.write_text(mailed.source.read_text().replace("10.50", "10.60"))
    assert [check.subject for check in mailed.verify(source).faults] == ["source sales.csv"]


def test_another_key_than_the_given_one_is_named(mailed: Mailed, tmp_path: Path) -> None:
    with Workbench(settings=Settings(home=tmp_path / "other")) as other:
        strange = other.ledger.public_key()
    assert [check.subject for check in mailed.verify(mailed.source, keys=(strange,)).faults] == ["key"]


@pytest.mark.parametrize("part", [b"averment-signature", b"averment-capsule"])
def test_a_file_without_its_proof_is_refused(mailed: Mailed, part: bytes) -> None:
    mailed.report.write_bytes(mailed.report.read_bytes().replace(part, b"gone"))
    with pytest.raises(VerificationFailed):
        mailed.verify(mailed.source)
