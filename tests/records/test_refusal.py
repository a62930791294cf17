import pytest
from pydantic import BaseModel, Field, ValidationError, field_validator

from averment.errors import AvermentError, InvalidRequest, NoRows, PlanInvalid, RowLimitOutOfRange
from averment.records.refusal import broken, checked, errors_by_code, refusal_of


class Inner(BaseModel):
    limit: int = Field(default=1, ge=1)


class Outer(BaseModel):
    inner: Inner = Inner()
    many: tuple[Inner, ...] = ()
    name: str = "ok"

    @field_validator("name")
    @classmethod
    def _has_rows(cls, name: str) -> str:
        if name == "empty":
            raise broken(NoRows, "a {brace} stays a brace")
        return name


TABLE: dict[str, type[AvermentError]] = {"inner.limit": RowLimitOutOfRange, "many.*.limit:int_parsing": PlanInvalid}


def test_good_values_make_the_record():
    assert checked(Outer, {"inner": {"limit": 4}}, TABLE).inner.limit == 4


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"inner": {"limit": 0}}, RowLimitOutOfRange),
        ({"inner": {"limit": "x"}}, RowLimitOutOfRange),
        ({"many": [{"limit": 1}, {"limit": "x"}]}, PlanInvalid),
        ({"many": [{"limit": 0}]}, InvalidRequest),
        ({"name": "empty"}, NoRows),
        ({"name": 3, "inner": {"limit": 0}}, RowLimitOutOfRange),
    ],
)
def test_a_bad_value_gets_the_error_of_its_rule(values: dict[str, object], error: type[AvermentError]):
    with pytest.raises(error) as refused:
        checked(Outer, values, TABLE)
    assert type(refused.value) is error


def test_the_error_names_the_field_and_keeps_the_sentence():
    with pytest.raises(ValidationError) as failed:
        Outer.model_validate({"name": "empty"})
    error = refusal_of(failed.value.errors())
    assert error.details == {"field": "name"}
    assert "a {brace} stays a brace" in error.message


def test_a_code_shared_by_parent_and_child_means_the_child():
    assert errors_by_code()["PLAN_INVALID"] is PlanInvalid
