"""What one request may send: how many files, how large, how slowly; and how many requests may come."""

from __future__ import annotations

from dataclasses import dataclass

from averment.records.drilldown.files import MAX_FILE_BYTES


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits on uploads; the contracts give ten files of 50 MB."""

    max_files: int = 10
    max_file_bytes: int = MAX_FILE_BYTES
    max_fields: int = 50
    max_field_bytes: int = 64_000
    requests_in_ten_seconds: int = 2_000
    guesses_a_minute: int = 100
    idle_seconds: float = 30.0
    total_seconds: float = 900.0

    @property
    def max_body_bytes(self) -> int:
        """The most a whole body may hold: every file, every field, and what multipart puts around them."""
        parts = self.max_files + self.max_fields
        return self.max_files * self.max_file_bytes + self.max_fields * self.max_field_bytes + parts * 16_384
