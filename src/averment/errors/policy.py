"""Refused by policy, or no safe way to do it."""

from __future__ import annotations

from averment.errors.base import AvermentError


class PolicyError(AvermentError, code="POLICY_REFUSED", exit_code=4, http_status=403):
    """The policy refused the request; nothing was run."""


class SqlRefused(
    PolicyError, hint="Only one SELECT over the opened tables is allowed, with the functions of docs/reference/sql.md."
):
    """The statement is not one read-only query over the open tables with allowed functions."""


class ColumnNotAllowed(PolicyError):
    """A column outside ``policy.allowed_columns`` would reach the result."""


class PatternBlocked(PolicyError):
    """A name or value matches one of ``policy.blocked_patterns``."""


class ConfirmationRequired(PolicyError, http_status=409):
    """The action needs an explicit confirmation."""


class SandboxUnavailable(
    PolicyError,
    http_status=503,
    hint="Install bubblewrap (Debian: apt-get install bubblewrap) or use a kernel with Landlock and seccomp.",
):
    """No sandbox is available on this machine, and code never runs without one."""


class AddressRefused(
    PolicyError, hint="Use an http or https address on the public web, or add a local file by its path."
):
    """The address is not on the public web: it has another scheme, a private network, or an unusual port."""


class RobotsRefused(PolicyError, hint="Open the page yourself, save it, and add the file."):
    """The site's robots.txt disallows automated access to that page."""
