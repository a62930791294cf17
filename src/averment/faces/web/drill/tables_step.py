"""The second step of a drill: how its tables belong together, and what their columns count as."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from averment.agents.driller.roles import check_role, may_date
from averment.errors import JoinFansOut, TypeMismatch
from averment.faces.web.drill.draft import KeyLink
from averment.faces.web.drill.field_errors import FieldFault
from averment.faces.web.drill.form_state import DrillForm, Form
from averment.faces.web.drill.preparation import Model, check_link
from averment.faces.web.drill.table_links import draw_tables
from averment.faces.web.shell.pages import Pages, go, read_form, show
from averment.records.drilldown.files import ColumnRole

MOST_BYTES = 256_000
MOST_FIELDS = 2_000


async def read_many(request: Request) -> dict[str, str]:
    """The fields of a large form that this session's page made, each once; as ``read_form``."""
    return await read_form(request, most_bytes=MOST_BYTES, most_fields=MOST_FIELDS)


ManyFields = Annotated[dict[str, str], Depends(read_many)]


router = Pages()

MOST_LINKS = 20
ROLES: dict[ColumnRole, str] = {
    "dimension": "segment",
    "measure": "number",
    "id": "key",
    "timestamp": "date",
    "ignore": "set aside",
}


@router.get("/drill/{session_id}/model")
def show_model(request: Request, form: Form) -> Response:
    """The tables and their relations, to be confirmed."""
    return _model_page(request, form)


@router.post("/drill/{session_id}/model")
def keep_model(request: Request, fields: ManyFields, form: Form) -> Response:
    """Keep the relations as they were confirmed or corrected."""
    model = form.model
    places = _places(model)
    links, faults = _links(fields, places)
    for number, link in links.items():
        if not check_link(form.workbench.settings, form.sources, link):
            error = JoinFansOut(f"{link.right}.{link.right_column} repeats: joining by it would count rows twice.")
            faults[number] = FieldFault(error.code, error.message, "Choose the column that names each row once.")
    focus = tuple(name for name in places if fields.get(f"focus:{name}"))
    roles, wrong = _roles(form, model, fields)
    kept = form.keep(links=tuple(dict.fromkeys(links.values())), focus=focus, roles=roles)
    if faults or wrong or fields.get("act") == "show":
        return _model_page(request, kept, faults, wrong)
    return go(f"/drill/{form.session_id}/metric")


def _roles(
    form: DrillForm, model: Model, fields: Mapping[str, str]
) -> tuple[dict[str, ColumnRole], dict[str, tuple[str, FieldFault]]]:
    """What was said of columns that were read otherwise; a role that a column cannot have stays with its fault."""
    roles: dict[str, ColumnRole] = {}
    wrong: dict[str, tuple[str, FieldFault]] = {}
    by_name: dict[str, ColumnRole] = {role: role for role in ROLES}
    for table in model.tables:
        for column in table.columns:
            name = f"{table.name}.{column.name}"
            role = by_name.get(fields.get(f"role:{name}", ""), column.inferred_type)
            if role == column.inferred_type:
                continue
            try:
                if role != "timestamp" or not may_date(column.data_type, column.sample_values):
                    check_role((table.name, column.name), role, column.data_type)
            except TypeMismatch as error:
                wrong[name] = role, form.fault(error)
            else:
                roles[name] = role
    return roles, wrong


def _links(
    fields: Mapping[str, str], places: Mapping[str, tuple[str, str]]
) -> tuple[dict[int, KeyLink], dict[int, FieldFault]]:
    links: dict[int, KeyLink] = {}
    faults: dict[int, FieldFault] = {}
    for number in range(MOST_LINKS):
        left, right = (places.get(fields.get(f"{side}:{number}", "")) for side in ("left", "right"))
        if not fields.get(f"use:{number}") or (left is None and right is None):
            continue
        if left is None or right is None or left[0] == right[0]:
            faults[number] = FieldFault(
                "INVALID_REQUEST", "A relation goes from a column of one table to a key of another."
            )
            continue
        links[number] = KeyLink(left=left[0], left_column=left[1], right=right[0], right_column=right[1])
    return links, faults


def _places(model: Model) -> dict[str, tuple[str, str]]:
    """Every column of every table under the name it is shown by."""
    return {
        f"{table.name}.{column.name}": (table.name, column.name) for table in model.tables for column in table.columns
    }


def _model_page(
    request: Request,
    form: DrillForm,
    faults: Mapping[int, FieldFault] | None = None,
    wrong: Mapping[str, tuple[str, FieldFault]] | None = None,
) -> Response:
    model = form.model
    links = model.links(form.draft)
    # Links that were found and are not in force stay on the page, so that they can be taken again.
    shown = [*links, *(link for link in model.found if link not in links)]
    apart = model.outside(form.draft)
    role = form.draft.role
    tables = [(one.name, [(column.name, role(one.name, column)) for column in one.columns]) for one in model.tables]
    return show(
        request,
        "drill/model.html",
        status=422 if faults or wrong else 200,
        session_id=form.session_id,
        draft=form.draft,
        model=model,
        diagram=draw_tables(tables, links, {table.name for table in apart}),
        lines=[(link, link in links, model.found.get(link)) for link in shown],
        every_column=list(_places(model)),
        apart=apart,
        faults=dict(faults or {}),
        wrong=dict(wrong or {}),
        roles=ROLES,
        step="model",
    )
