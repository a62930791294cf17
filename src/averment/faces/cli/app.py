"""The group of commands, and the one place where an error becomes an exit code."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

COMMANDS: dict[str, tuple[str, str]] = {
    "analyze": ("averment.faces.cli.ask", "Answer a question about tables, with proof."),
    "sql": ("averment.faces.cli.sql", "Run one SELECT over tables, with the same proof."),
    "data": ("averment.faces.cli.data", "Store data under a name, describe its columns, and query it."),
    "teach": ("averment.faces.cli.meanings", "Teach what a word means: a column, formula, condition or list."),
    "meanings": ("averment.faces.cli.meanings", "List or delete the word meanings you have taught."),
    "drill": ("averment.faces.cli.drill", "Find out why a metric moved, with proof; ask about it afterwards."),
    "research": ("averment.faces.cli.research", "Find out what sources say and where they disagree, with proof."),
    "chat": ("averment.faces.cli.chat", "Talk to the assistant: tasks, tables, causes, sources."),
    "show": ("averment.faces.cli.look", "Show a run."),
    "explain": ("averment.faces.cli.explain", "Show how a question was read: words, readings, plan, queries."),
    "list": ("averment.faces.cli.look", "List the runs of this home."),
    "rows": ("averment.faces.cli.rows", "Show the source rows behind a cell, with their line numbers."),
    "verify": ("averment.faces.cli.prove", "Recompute every number of a run, or check a ledger file."),
    "verifier": ("averment.faces.cli.verifier", "Write the page that checks exported reports in any browser."),
    "replay": ("averment.faces.cli.prove", "Run a recorded plan again and compare the bytes."),
    "choose": ("averment.faces.cli.ask", "Run one of the readings that a run offered."),
    "plan": ("averment.faces.cli.ask", "Run a plan, with proof."),
    "resume": ("averment.faces.cli.ask", "Continue a run that was interrupted."),
    "approve": ("averment.faces.cli.ask", "Approve the plan of a waiting run and continue."),
    "cancel": ("averment.faces.cli.ask", "Stop a run."),
    "export": ("averment.faces.cli.look", "Write a run's report as one file."),
    "forget": ("averment.faces.cli.look", "Delete a run; the ledger keeps its entries."),
    "corpus": ("averment.faces.cli.corpus", "Archive documents and web pages, and search them."),
    "recipes": ("averment.faces.cli.recipes", "List, show or delete recipes learned from earlier runs."),
    "models": ("averment.faces.cli.models", "Show the configured model, its status, and what it may see."),
    "plugins": ("averment.faces.cli.plugins", "List what installed plugins add, and what cannot be used."),
    "ledger": ("averment.faces.cli.ledger", "Export, prove and verify the ledger; its key and writers."),
    "serve": ("averment.faces.cli.serve", "Serve the workbench over HTTP on this machine."),
    "migrate-home": ("averment.faces.cli.migrate", "Copy a home's database to Postgres, and compare the two."),
    "backup": ("averment.faces.cli.backup", "Back up the home, also while it is in use, with file hashes."),
    "restore": ("averment.faces.cli.backup", "Restore a backup as a new home, and verify it."),
    "watch": ("averment.faces.cli.watch", "Check saved metrics against their expected range."),
    "worker": ("averment.faces.cli.worker", "Run queued work; start as many workers as you like."),
    "remind": ("averment.faces.cli.remind", "Send reminders for due tasks; a server does this itself."),
    "users": ("averment.faces.cli.users", "Add, list or revoke users, each with their own token."),
    "mcp": ("averment.faces.cli.mcp", "Serve the tools over MCP to the program that starts it."),
}


class LazyGroup(click.Group):
    """A group whose commands are loaded when they are called; their one-line help is here already."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of a person's work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, loaded now."""
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        name = "list_runs" if cmd_name == "list" else cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is meant; for one that is not there, the nearest names."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=2, cutoff=0.6)
            meant = f" Did you mean {' or '.join(near)}?" if near else ""
            raise click.UsageError(f"Unknown command: {args[0]!r}.{meant}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without loading any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


FIRST_STEPS = """First steps:
  averment analyze "total amount by region" --source FILE.csv   ask one question
  averment serve --open                                         work in the browser
  averment verify RUN                                           check an answer against its sources"""


@click.group(cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--home", type=click.Path(), help="Folder of the database, logs and artifacts (default .averment).")
@click.option("-v", "--verbose", is_flag=True, help="Show every step, and list every file written.")
@click.version_option(package_name="averment", prog_name="averment")
@click.pass_context
def app(context: click.Context, home: str | None, verbose: bool) -> None:
    """Averment answers questions and proves the answers.

    Exit codes: 0 answered, 1 failed, 2 usage, 3 not enough evidence or a clarifying question, 4 refused by policy,
    5 verification failed, 130 interrupted.
    """
    context.obj = {"home": home, "verbose": verbose}
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
        click.echo(f"\n{FIRST_STEPS}")


def run_app() -> None:
    """Run the command line; every error becomes one message or one JSON document, and its exit code."""
    from averment.errors import AvermentError
    from averment.faces.cli.output import fail

    as_json = "--json" in sys.argv[1:]
    try:
        code = app(standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except KeyboardInterrupt:
        sys.exit(130)
    except click.ClickException as error:
        sys.exit(fail(_usage(error), as_json=as_json))
    except AvermentError as error:
        sys.exit(fail(error, as_json=as_json))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:  # The top of the program: a person gets a sentence, not a traceback.
        if os.environ.get("AVERMENT_DEBUG"):
            raise
        message = f"An unexpected {type(error).__name__} stopped the command: {error}"
        sys.exit(fail(AvermentError(message, hint="Set AVERMENT_DEBUG=1 to see the traceback."), as_json=as_json))
    sys.exit(code if isinstance(code, int) else 0)


def _usage(error: click.ClickException) -> Exception:
    from averment.errors import UsageError

    hint = "See `averment --help`."
    if isinstance(error, click.UsageError) and error.ctx is not None:
        hint = f"See `{error.ctx.command_path} --help`."
    return UsageError(error.format_message(), hint=hint)
