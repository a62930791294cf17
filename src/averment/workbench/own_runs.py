"""The runs of one user of a home: those they began, and nothing of anyone else's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from averment.errors import PolicyError, RunNotFound
from averment.records.base import new_id
from averment.runtime.outcome import Run
from averment.store.chat.users import UserStore
from averment.workbench.runs import Runs

if TYPE_CHECKING:
    from averment.workbench import Workbench
    from averment.workbench.datasets import Datasets

RUN = "run"
P = ParamSpec("P")
T = TypeVar("T")


def refuse(name: str) -> Any:
    """What a user hears of something that is the owner's.

    Raises:
        PolicyError: always.
    """
    raise PolicyError(f"Only the owner of this home can use {name}.", hint="Use the server's own token.")


def check_documents(usual: str, asked: dict[str, Any]) -> None:
    """Nothing, if a research looks into documents of the user's own alone: the archive is quoted to nobody else.

    Raises:
        PolicyError: it would look into the owner's.
    """
    local = "corpus" in (asked.get("providers") or (usual,))
    if asked.get("corpora") or (local and not asked.get("corpus")):
        raise PolicyError(
            "The archived documents belong to the owner of this home.",
            hint="Send documents of your own with the question.",
        )


class OwnStarter:
    """Begins runs as one user's; what is not listed here is the owner's."""

    def __init__(self, runs: OwnRuns, workbench: Workbench, datasets: Callable[[], Datasets]) -> None:
        self._runs = runs
        self._start = workbench.runs.start
        self._datasets = datasets
        self._usual = workbench.settings.search_provider

    def __getattr__(self, name: str) -> Any:
        return refuse(name)

    def analysis(self, *asked: Any, run_id: str | None = None, after: Run | str | None = None, **more: Any) -> str:
        """Begin an analysis as this user's; it follows a run of this user's alone."""
        more["after"], more["datasets"] = self._runs.own(after), self._datasets()
        return self._runs.begun(run_id, lambda own: self._start.analysis(*asked, run_id=own, **more))

    def plan(self, *asked: Any, run_id: str | None = None, **more: Any) -> str:
        """Begin to carry out a plan over tables, as this user's run."""
        more["datasets"] = self._datasets()
        return self._runs.begun(run_id, lambda own: self._start.plan(*asked, run_id=own, **more))

    def choice(self, run: Run | str, number: int, *, run_id: str | None = None, **more: Any) -> str:
        """Begin a reading that a run of this user's offered, as their run."""
        offering = self._runs.get(run if isinstance(run, str) else run.id).id
        return self._runs.begun(run_id, lambda own: self._start.choice(offering, number, run_id=own, **more))

    def research(self, *asked: Any, run_id: str | None = None, **more: Any) -> str:
        """Begin a research as this user's, over documents of their own."""
        check_documents(self._usual, more)
        more["user_id"] = self._runs.user_id
        return self._runs.begun(run_id, lambda own: self._start.research(*asked, run_id=own, **more))


def _of_own(verb: Callable[Concatenate[Runs, P], T]) -> Callable[Concatenate[OwnRuns, P], T]:
    """What the owner can ask of any run, whose id comes first, opened to the user whose run it is."""
    asked: Callable[..., T] = verb

    @wraps(verb)
    def ask(runs: OwnRuns, *given: P.args, **how: P.kwargs) -> T:
        run_id, *more = given or (how.pop("run_id"),)
        everyones = runs._workbench.runs  # pyright: ignore[reportPrivateUsage]
        return asked(everyones, runs.get(str(run_id)).id, *more, **how)

    return ask


class OwnRuns:
    """The runs of one user; what is not listed here is the owner's."""

    def __init__(self, workbench: Workbench, users: UserStore, user_id: str, datasets: Callable[[], Datasets]) -> None:
        self._workbench = workbench
        self._users = users
        self.user_id = user_id
        self.start = OwnStarter(self, workbench, datasets)
        """Begins runs as this user's."""

    def __getattr__(self, name: str) -> Any:
        return refuse(name)

    def get(self, run_id: str) -> Run:
        """A run of this user's.

        Raises:
            RunNotFound: there is none, or it is somebody else's: the answer is the same.
        """
        run = self._workbench.show(run_id)
        if self._users.owner(RUN, run.id) != self.user_id:
            raise RunNotFound(f"There is no run {run_id}.")
        return run

    def list(self, *, limit: int = 50, status: str | None = None, offset: int = 0) -> Sequence[Run]:
        """This user's runs, the newest first."""
        found: list[Run] = []
        for run_id in self._users.things(RUN, self.user_id, limit=10_000):
            try:
                run = self._workbench.show(run_id)
            except RunNotFound:
                continue  # Claimed, and never begun.
            if status is None or run.status == status:
                found.append(run)
            if len(found) >= offset + limit:
                break
        return found[offset : offset + limit]

    look_up = _of_own(Runs.look_up)
    document = _of_own(Runs.document)
    row = _of_own(Runs.row)
    calls = _of_own(Runs.calls)
    table = _of_own(Runs.table)
    rows_behind = _of_own(Runs.rows_behind)
    events = _of_own(Runs.events)
    cancel = _of_own(Runs.cancel)
    resume = _of_own(Runs.resume)
    wait = _of_own(Runs.wait)

    def teach(self, *asked: Any, run_id: str | None = None, **more: Any) -> Run:
        """What words mean is the owner's to teach."""
        _ = asked, run_id, more
        return refuse("teach")

    def own(self, run: Run | str | None) -> str | None:
        """The id of a run of this user's, of none for none.

        Raises:
            RunNotFound: it is somebody else's.
        """
        return None if run is None else self.get(run if isinstance(run, str) else run.id).id

    def begun(self, run_id: str | None, begin: Callable[[str], T]) -> T:
        """What beginning a run gives, once its id is this user's.

        Raises:
            RunNotFound: the id is somebody else's.
        """
        own = run_id or new_id()
        if not self._users.claim(RUN, own, self.user_id):
            raise RunNotFound(f"There is no run {own}.")
        return begin(own)
