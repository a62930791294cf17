import subprocess
import sys
from typing import Any

import pytest
from pydantic import ValidationError

from averment.errors import AvermentError, FileTooLarge, InvalidFileType, NoHeaders
from averment.records.base import new_id
from averment.records.drilldown.files import MAX_FILE_BYTES, Column, FileSchema, UploadedFile, check_upload
from averment.records.refusal import checked

COLUMN = {
    "name": "region",
    "inferred_type": "dimension",
    "data_type": "string",
    "cardinality": 3,
    "sample_values": ["north", "south"],
    "nullable": False,
}


def values(**changed: Any) -> dict[str, Any]:
    return {
        "session_id": new_id(),
        "original_name": "user_activity.csv",
        "description": "what users did",
        "path": "files/x.csv",
        "row_count": 10,
        "size_bytes": 1000,
        **changed,
    }


@pytest.mark.seed("B-011")
def test_an_upload_has_its_fields_and_reads_back_unchanged():
    assert set(UploadedFile.model_fields) == {
        "file_id",
        "session_id",
        "original_name",
        "description",
        "path",
        "row_count",
        "size_bytes",
        "schema",
        "uploaded_at",
    }
    made = UploadedFile.model_validate(values(schema={"columns": [COLUMN]}))
    assert UploadedFile.model_validate_json(made.model_dump_json()) == made
    assert made.schema == FileSchema(columns=(Column.model_validate(COLUMN),))


def test_the_seeds_field_name_schema_gives_no_warning():
    command = [sys.executable, "-W", "error", "-c", "import averment.records.drilldown.files"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.seed("B-019")
def test_a_schema_is_absent_until_inferred():
    made = UploadedFile.model_validate(values(row_count=1, size_bytes=0))
    assert (made.schema, made.row_count, made.size_bytes) == (None, 1, 0)


@pytest.mark.seed("B-012")
def test_name_and_description_have_their_lengths():
    longest = values(original_name="x" * 251 + ".csv", description="y" * 2000)
    assert len(UploadedFile.model_validate(longest).original_name) == 255
    for wrong in ({"original_name": "x" * 252 + ".csv"}, {"description": "y" * 2001}):
        with pytest.raises(ValidationError):
            UploadedFile.model_validate(values(**wrong))


@pytest.mark.seed("B-013")
@pytest.mark.parametrize("path", ["/etc/passwd", "../other/files/x.csv", ""])
def test_an_upload_outside_its_folder_is_refused(path: str):
    with pytest.raises(ValidationError):
        UploadedFile.model_validate(values(path=path))


@pytest.mark.seed("B-014")
def test_an_upload_without_rows_is_refused():
    with pytest.raises(ValidationError):
        UploadedFile.model_validate(values(row_count=0))


@pytest.mark.seed("B-015", "B-016", "B-017")
@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"size_bytes": MAX_FILE_BYTES + 1}, FileTooLarge),
        ({"original_name": "activity.xlsx"}, InvalidFileType),
        ({"original_name": "csv"}, InvalidFileType),
        ({"schema": {"columns": []}}, NoHeaders),
    ],
)
def test_a_record_of_a_file_that_may_not_be_uploaded_is_refused(wrong: dict[str, Any], error: type[AvermentError]):
    with pytest.raises(error):
        checked(UploadedFile, values(**wrong))


@pytest.mark.seed("B-015", "B-016", "B-017")
def test_a_file_that_may_not_be_uploaded_is_refused_before_it_is_kept():
    check_upload(original_name="A.CSV", size_bytes=52_428_800, has_header=True)
    assert UploadedFile.model_validate(values(size_bytes=52_428_800)).size_bytes == MAX_FILE_BYTES
    with pytest.raises(FileTooLarge):
        check_upload(original_name="a.csv", size_bytes=52_428_801, has_header=True)
    with pytest.raises(InvalidFileType):
        check_upload(original_name="a.csv.exe", size_bytes=1, has_header=True)
    with pytest.raises(NoHeaders):
        check_upload(original_name="a.csv", size_bytes=1, has_header=False)


@pytest.mark.seed("B-022")
def test_a_schema_reads_back_as_written_and_takes_no_other_field():
    schema = FileSchema.model_validate({"columns": [COLUMN]})
    assert schema.model_dump(mode="json") == {"columns": [COLUMN]}
    assert FileSchema.model_validate_json(schema.model_dump_json()) == schema
    for wrong in ({**COLUMN, "unit": "EUR"}, {key: COLUMN[key] for key in list(COLUMN)[1:]}):
        with pytest.raises(ValidationError):
            FileSchema.model_validate({"columns": [wrong]})
    with pytest.raises(ValidationError):
        FileSchema.model_validate({"columns": [COLUMN], "rows": 1})


@pytest.mark.seed("B-023")
@pytest.mark.parametrize("wrong", [{"inferred_type": "metric"}, {"data_type": "decimal"}, {"data_type": "boolean"}])
def test_a_column_of_unknown_kind_is_refused(wrong: dict[str, Any]):
    with pytest.raises(ValidationError):
        Column.model_validate({**COLUMN, **wrong})


@pytest.mark.seed("B-024")
@pytest.mark.parametrize("wrong", [{"cardinality": 0}, {"sample_values": list("abcdef")}])
def test_a_column_outside_its_limits_is_refused(wrong: dict[str, Any]):
    assert Column.model_validate({**COLUMN, "cardinality": 1, "sample_values": list("abcde")}).cardinality == 1
    with pytest.raises(ValidationError):
        Column.model_validate({**COLUMN, **wrong})
