"""Words are taught, listed and forgotten over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from averment.faces.http.documents import MeaningList


def test_a_word_is_taught_used_listed_and_forgotten(
    service: Any, sales: bytes, code: Callable[[httpx2.Response], str]
) -> None:
    def ended(response: httpx2.Response) -> dict[str, Any]:
        assert response.status_code == 202, response.text
        list(service.events(response.json()["id"]))
        return service.client.get(response.json()["links"]["self"]).json()

    files = [("files", ("sales.csv", sales))]
    taught = ended(
        service.client.post("/v1/analyses", data={"word": "big orders", "means": "amount over 100"}, files=files)
    )
    assert taught["answer"].startswith("From now on big orders means amount is over 100.")
    (listed,) = MeaningList.model_validate(service.client.get("/v1/meanings").json()).meanings
    assert (listed.word, listed.kind) == ("big orders", "condition")
    asked = ended(service.ask("how many big orders by region", ("sales.csv", sales)))
    assert asked["read_back"].endswith("big orders, taught as amount is over 100")
    assert service.client.delete(f"/v1/meanings/{listed.correction_id}").status_code == 204
    assert service.client.get("/v1/meanings").json() == {"meanings": []}
    assert code(service.client.delete(f"/v1/meanings/{listed.correction_id}")) == "SOURCE_NOT_FOUND"


@pytest.mark.parametrize(
    "fields", [{"word": "margin"}, {"word": "margin", "means": "amount", "intent": "total amount"}]
)
def test_a_word_without_a_meaning_of_its_own_is_refused(
    service: Any, sales: bytes, code: Callable[[httpx2.Response], str], fields: dict[str, str]
) -> None:
    response = service.client.post("/v1/analyses", data=fields, files=[("files", ("sales.csv", sales))])
    assert code(response) == "INVALID_REQUEST"
