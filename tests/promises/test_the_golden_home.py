"""The golden home is what it says it is; every other promise is told of it."""

from __future__ import annotations

from golden import TASK, GoldenHome


def test_a_copy_has_every_run_finished_and_each_of_them_verifies(golden_home: GoldenHome) -> None:
    with golden_home.open() as workbench:
        assert {run.id for run in workbench.runs.list(limit=100)} == set(golden_home.runs.values())
        for name, run_id in golden_home.runs.items():
            verdict = workbench.verify(run_id, keys=[golden_home.golden.key])
            assert verdict.ok, (name, verdict.faults)
        assert [dataset.name for dataset in workbench.datasets.list()] == ["orders"]
        assert [kept.task.title for kept in workbench.home.tasks.list()] == [TASK]


def test_what_is_done_to_a_copy_is_done_to_no_other(golden_home: GoldenHome) -> None:
    run = golden_home.runs["analysis"]
    assert golden_home.cli("forget", run, "--yes").code == 0
    assert golden_home.cli("show", run).code != 0
    assert (golden_home.golden.home / "artifacts" / "tables" / run / "result.csv").exists()


def test_a_copy_is_served_over_http(golden_home: GoldenHome) -> None:
    with golden_home.serve() as server:
        run = server.client.get(f"/v1/runs/{golden_home.runs['analysis']}").json()
    assert run["status"] == "completed"
