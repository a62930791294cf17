"""Refused by policy, or no safe way to do it."""

from __future__ import annotations

from averment.errors.base import AvermentError


class PolicyError(AvermentError):
    """Refused by policy; nothing was run."""

    code = "POLICY_REFUSED"
    exit_code = 4
    http_status = 403


class SqlRefused(PolicyError):
    """The statement is not one read-only query over the open tables with allowed functions."""

    code = "SQL_REFUSED"
    default_hint = "Only one SELECT over the opened tables is allowed, with the functions of docs/reference/sql.md."


class ColumnNotAllowed(PolicyError):
    """A column outside ``policy.allowed_columns`` would reach the result."""

    code = "COLUMN_NOT_ALLOWED"


class PatternBlocked(PolicyError):
    """A name or value matches one of ``policy.blocked_patterns``."""

    code = "PATTERN_BLOCKED"


class ConfirmationRequired(PolicyError):
    """The act waits for an explicit yes."""

    code = "CONFIRMATION_REQUIRED"
    http_status = 409


class SandboxUnavailable(PolicyError):
    """No jail is available on this machine, and code never runs without one."""

    code = "SANDBOX_UNAVAILABLE"
    http_status = 503
    default_hint = "Install bubblewrap (Debian: apt-get install bubblewrap) or use a kernel with Landlock and seccomp."


class AddressRefused(PolicyError):
    """The address is not one of the public web: another scheme, a private network, or a port nothing public uses."""

    code = "ADDRESS_REFUSED"
    default_hint = "Only http and https addresses on the public web are fetched; add a local file by its path."


class RobotsRefused(PolicyError):
    """The site's robots.txt asks programs not to read that page."""

    code = "ROBOTS_REFUSED"
    default_hint = "Open the page yourself, save it, and add the file."
