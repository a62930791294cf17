"""Artifacts: the files a run produced, under the folders the contract draws, each with the record that proves it."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import ValidationError

from averment.errors import InvalidRequest, SourceNotFound, StoreConflict, VerificationFailed
from averment.records.base import derived_id
from averment.records.run import Artifact, ArtifactType
from averment.store.db.text import damaged
from averment.store.storage.base import Files, parts_of

if TYPE_CHECKING:
    from averment.store.runs.run_store import RunStore

FOLDER_OF: dict[ArtifactType, str] = {"table": "tables", "chart": "charts", "report": "reports", "summary": "reports"}
"""The folder under ``artifacts/`` of each type; a summary is a report, as in the analyst contract's tree."""

_KIND = "artifact"

Artifacts: TypeAlias = list[Artifact]


class ArtifactStore:
    """The artifacts of all runs: bytes in the files, records with the runs."""

    def __init__(self, files: Files, runs: RunStore) -> None:
        self._files = files
        self._runs = runs

    def put(
        self,
        request_id: str,
        artifact_type: ArtifactType,
        name: str,
        content: bytes,
        metadata: dict[str, Any],
        created_at: datetime,
    ) -> Artifact:
        """Publish an artifact of a run; the same one again gives back the first record.

        Raises:
            StoreConflict: the run has another artifact of that name.
            RunNotFound: there is no such run.
            InvalidRequest: the name is not a plain file name.
        """
        if len(parts_of(name)) != 1:
            raise InvalidRequest(f"{name[:200]!a} is not a file name.", hint="Give a name without a folder.")
        artifact = Artifact(
            artifact_id=derived_id(request_id, _KIND, name),
            request_id=request_id,
            artifact_type=artifact_type,
            content_ref=f"artifacts/{FOLDER_OF[artifact_type]}/{request_id}/{name}",
            content_hash=hashlib.sha256(content).hexdigest(),
            metadata=metadata,
            size_bytes=len(content),
            created_at=created_at,
        )
        there = self.get(request_id, name)
        if there is None:
            self._runs.get(request_id)
        else:
            # The first record keeps its time; only then is a repeated step the same to the byte.
            artifact = artifact.model_copy(update={"created_at": there.created_at})
            if artifact != there:
                raise StoreConflict(
                    f"The run {request_id} already has a different artifact named {name}.",
                    hint="A stored artifact cannot be changed.",
                )
        if there is None or self.check(there) is not None:
            # A file without a record was left by a crash and is nobody's yet; a damaged one is made whole.
            self._files.write(artifact.content_ref, content)
        if there is None:
            self._runs.put(request_id, _KIND, name, artifact.model_dump(mode="json"))
        return artifact

    def get(self, request_id: str, name: str) -> Artifact | None:
        """The artifact of that name, or None."""
        there = self._runs.record(request_id, _KIND, name)
        return None if there is None else _artifact(there)

    def list(self, request_id: str) -> Artifacts:
        """The artifacts of a run, in the order they were made."""
        return [_artifact(body) for body in self._runs.records(request_id, _KIND)]

    def read(self, artifact: Artifact) -> bytes:
        """The bytes of an artifact, if they are the ones that were recorded.

        Raises:
            SourceNotFound: its file is gone.
            VerificationFailed: the file has other content.
        """
        content = self._files.read(artifact.content_ref)
        if hashlib.sha256(content).hexdigest() != artifact.content_hash:
            raise VerificationFailed(
                f"The file {artifact.content_ref} differs from the sealed version.",
                hint=f"`averment verify {artifact.request_id}` lists every change.",
            )
        return content

    def delete(self, request_id: str) -> None:
        """Delete the files of a run's artifacts."""
        for folder in sorted(set(FOLDER_OF.values())):
            self._files.delete(f"artifacts/{folder}/{request_id}")

    def check(self, artifact: Artifact) -> str | None:
        """What is wrong with an artifact's file, in words; None when it is what was sealed."""
        try:
            now = self._files.hash(artifact.content_ref)
        except SourceNotFound:
            return f"{artifact.content_ref} is missing"
        except InvalidRequest:
            return f"{artifact.content_ref!a} is not a path inside the home"
        if now.size != artifact.size_bytes:
            return f"{artifact.content_ref} has {now.size} bytes, not {artifact.size_bytes}"
        if now.sha256 != artifact.content_hash:
            return f"{artifact.content_ref} has other content than was recorded"
        return None


def _artifact(body: dict[str, Any]) -> Artifact:
    try:
        return Artifact.model_validate(body)
    except ValidationError as error:
        raise damaged(f"an artifact's description is invalid: {error.errors()[0]['msg']}") from error
