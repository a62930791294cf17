"""By a URL and nothing else: the same flow with its state, or its data, on Postgres."""

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from averment import Workbench
from averment.settings import Settings

pytestmark = [pytest.mark.postgres]
QUESTION = "total amount by region in 2024"


def test_the_state_of_a_run_may_live_on_postgres(tmp_path: Path, sales: Path, new_postgres: Callable[[], str]) -> None:
    url = new_postgres()
    with Workbench(settings=Settings(home=tmp_path / "home", database_url=url)) as workbench:
        run = workbench.analyze(QUESTION, [sales])
        assert run.status == "completed"
        assert workbench.verify(run.id).ok
        again, different = workbench.runs.replay(run.id)
        assert different == ()
        assert {each.id for each in workbench.runs.list()} == {run.id, again.id}
    assert not (tmp_path / "home" / "db" / "averment.db").exists()
    with Workbench(settings=Settings(home=tmp_path / "plain")) as embedded:
        assert embedded.analyze(QUESTION, [sales]).differences(run) == ()


def test_the_data_of_a_question_may_live_on_postgres(
    tmp_path: Path, workbench: Workbench, sales: Path, new_postgres: Callable[[], str]
) -> None:
    url = new_postgres()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE sales(order_date date, region text, product text, amount numeric(10,2))")
        with connection.cursor().copy("COPY sales FROM STDIN WITH (FORMAT csv, HEADER true)") as copy:
            copy.write(sales.read_bytes())
    run = workbench.analyze(QUESTION, [url])
    here = workbench.analyze(QUESTION, [sales])
    assert run.status == "completed"
    assert run.table is not None
    assert here.table is not None
    assert run.table.to_pylist() == here.table.to_pylist()
    assert run.answer == here.answer
    assert workbench.verify(run.id).ok
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE sales SET amount = amount + 1")
    assert not workbench.verify(run.id).ok
