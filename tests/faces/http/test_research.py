"""Research and the corpus over HTTP: upload, ask, read the answer as data, forget."""

from __future__ import annotations

from typing import Any

NOTE = (
    b"---\ntitle: Winter Moorings\nauthor: Ada Holm\nstatus: Active\ncreated: 2021-03-19\n---\n"
    b"# Winter Moorings\n\nBoats leave the water before the first frost.\n"
)


def test_an_uploaded_document_is_asked_and_its_answer_read_as_data(service: Any) -> None:
    put = service.client.put("/v1/corpus/files/winter-moorings.md", content=NOTE)
    assert put.status_code == 201
    added = put.json()["sources"][0]
    assert added["outcome"] == "added"
    shown = service.client.get(f"/v1/corpus/{added['id']}").json()
    assert {field["key"]: field["value"] for field in shown["fields"]}["author"] == "Ada Holm"
    assert shown["headings"] == [["Winter Moorings"]]
    asked = service.client.post(
        "/v1/research", json={"query": "Who wrote the document on winter moorings?", "depth": "quick"}
    )
    assert asked.status_code == 202
    run_id = asked.json()["id"]
    service.workbench.runs.wait(run_id)
    found = service.client.get(f"/v1/research/{run_id}").json()
    assert "Ada Holm" in found["answer"]
    assert [one["document"] for one in found["citations"]] == ["winter-moorings.md"]
    assert found["absent"] is None
    assert service.client.delete(f"/v1/corpus/{added['id']}").status_code == 204
    assert service.client.get("/v1/corpus").json() == {"documents": []}


def _researched(service: Any, body: dict[str, Any]) -> Any:
    asked = service.client.post("/v1/research", json={"depth": "quick", **body})
    assert asked.status_code == 202
    service.workbench.runs.wait(asked.json()["id"])
    return asked.json()["id"]


def test_a_research_sees_the_corpora_it_was_given_and_no_other(service: Any) -> None:
    other = NOTE.replace(b"Ada Holm", b"Berit Lund")
    assert service.client.put("/v1/corpus/files/moorings.md?corpus=north", content=NOTE).status_code == 201
    assert service.client.put("/v1/corpus/files/moorings.md?corpus=south", content=other).status_code == 201
    listed = service.client.get("/v1/corpora").json()["corpora"]
    assert listed == [{"name": "north", "documents": 1}, {"name": "south", "documents": 1}]
    assert len(service.client.get("/v1/corpus?corpus=south").json()["documents"]) == 1
    query = "Who wrote the document on winter moorings?"
    for name, author in (("north", "Ada Holm"), ("south", "Berit Lund")):
        run_id = _researched(service, {"query": query, "corpora": [name]})
        found = service.client.get(f"/v1/research/{run_id}").json()
        assert author in found["answer"]
        assert len(found["citations"]) == 1
    nothing = service.client.get(f"/v1/research/{_researched(service, {'query': query})}").json()
    assert nothing["status"] == "abstained"
    unknown = service.client.post("/v1/research", json={"query": query, "corpora": ["West!"]})
    assert unknown.status_code in (400, 422)
    assert service.client.delete("/v1/corpora/north").status_code == 204
    assert service.client.delete("/v1/corpora/north").status_code == 404
    assert [one["name"] for one in service.client.get("/v1/corpora").json()["corpora"]] == ["south"]
    assert len(service.client.get("/v1/corpus").json()["documents"]) == 1


def test_the_tree_and_the_facts_of_a_research_are_read_as_data(service: Any) -> None:
    service.client.put("/v1/corpus/files/winter-moorings.md", content=NOTE)
    run_id = _researched(service, {"query": "Who wrote the document on winter moorings?"})
    tree = service.client.get(f"/v1/research/{run_id}/tree").json()["questions"]
    assert tree[0]["text"] == "Who wrote the document on winter moorings?"
    assert tree[0]["outcome"] == "answered"
    assert len(tree) >= 3
    assert {one["outcome"] for one in tree} <= {"answered", "touched on", "nothing found", "not asked"}
    facts = service.client.get(f"/v1/research/{run_id}/facts").json()["facts"]
    assert any("Ada Holm" in one["told"] for one in facts)
    assert all(one["evidence"]["snapshot_sha256"] for one in facts)
    assert service.client.get("/v1/research/0000000000/tree").status_code == 404


def test_paths_of_the_machine_and_odd_names_are_refused(service: Any) -> None:
    assert service.client.post("/v1/corpus", json={"addresses": ["/etc/passwd"]}).status_code in (400, 422)
    assert service.client.put("/v1/corpus/files/..%5Cx", content=b"x").json()["error"]["code"] == "INVALID_REQUEST"
    assert service.client.delete("/v1/corpus/nothing").status_code == 404


def test_another_run_is_no_research(service: Any) -> None:
    assert service.client.get("/v1/research/0000000000").status_code == 404
