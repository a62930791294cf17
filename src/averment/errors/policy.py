"""Refused by policy, or no safe way to do it."""

from __future__ import annotations

from averment.errors.base import AvermentError


class PolicyError(AvermentError):
    """The policy refused the request; nothing was run."""

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
    """The action needs an explicit confirmation."""

    code = "CONFIRMATION_REQUIRED"
    http_status = 409


class SandboxUnavailable(PolicyError):
    """No sandbox is available on this machine, and code never runs without one."""

    code = "SANDBOX_UNAVAILABLE"
    http_status = 503
    default_hint = "Install bubblewrap (Debian: apt-get install bubblewrap) or use a kernel with Landlock and seccomp."


class AddressRefused(PolicyError):
    """The address is not on the public web: it has another scheme, a private network, or an unusual port."""

    code = "ADDRESS_REFUSED"
    default_hint = "Use an http or https address on the public web, or add a local file by its path."


class RobotsRefused(PolicyError):
    """The site's robots.txt disallows automated access to that page."""

    code = "ROBOTS_REFUSED"
    default_hint = "Open the page yourself, save it, and add the file."
