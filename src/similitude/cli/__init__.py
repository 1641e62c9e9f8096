"""The command line: one file for each command, one place where errors are shown.

What is imported here is all that `similitude --help` loads: no numpy, no measures.
"""

import sys
import traceback
from typing import Any

import typer

from .. import __version__
from .._printable import printable
from ..errors import SimilitudeError
from ._commands import COMMANDS, SETTINGS, Commands
from ._stopping import close_stdout, stoppable

app = typer.Typer(
    cls=Commands,
    help="Are the representations of these neural networks the same?",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    **SETTINGS,
)
for _name, (_, _line) in COMMANDS.items():  # stands for the command in the list of all
    app.command(_name, help=_line)(lambda: None)


@app.callback(invoke_without_command=True)
def _similitude(
    *,
    version: bool = typer.Option(False, "--version", help="Print the version."),  # noqa: FBT003
    debug: bool = typer.Option(False, "--debug", help="Show tracebacks."),  # noqa: FBT003
) -> None:
    """Options that come before the command; `main` has already looked at --debug."""
    if version:
        typer.echo(f"similitude {__version__}")
        raise typer.Exit


def main(arguments: list[str] | None = None) -> None:
    """Run a command.

    Exit 0: done; 1: a bug of ours; 2: the request; 3: done, but some pairs failed;
    130: stopped; 141: nobody reads the output any more.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    # --debug may stand anywhere, as people add it at the end of what just failed.
    debug = "--debug" in arguments
    with stoppable():
        raise SystemExit(_told([a for a in arguments if a != "--debug"], debug=debug))


def _told(arguments: list[str], *, debug: bool) -> int:
    """The exit code, when what there is to say has been said."""
    try:
        return _run(arguments)
    except SimilitudeError as error:
        return _fail(f"error: {error}", 2, debug=debug)
    except KeyboardInterrupt:
        return _fail("stopped", 130, debug=debug)
    except BrokenPipeError:
        close_stdout()
        return 141  # as the shell says of SIGPIPE
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        return _fail(f"error: {where}{error.strerror or error}", 2, debug=debug)
    except MemoryError as error:
        advice = "Take fewer rows (--rows), or fewer files at a time."
        message = f"error: there is not enough memory ({error}). {advice}"
        return _fail(message, 2, debug=debug)
    except Exception as error:
        if hasattr(error, "format_message"):  # of typer, about the command line itself
            return _misunderstood(error)
        what = f"{type(error).__name__}: {error}"
        advice = "" if debug else " Run again with --debug and report what it prints."
        message = f"error: this is a bug in similitude ({what}).{advice}"
        return _fail(message, 1, debug=debug)


def _run(arguments: list[str]) -> int:
    """The exit code. Typer makes codes of what we say more about; that is undone."""
    try:
        code = app(arguments, prog_name="similitude", standalone_mode=False)
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):
            raise stop.__context__ from None
        raise
    if code == 130:
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0


def _misunderstood(error: Any) -> int:
    """One line, where typer would draw three; or the help that was asked for."""
    message = error.format_message().strip()
    if "\n" in message:
        typer.echo(message, err=True)
    else:
        context = getattr(error, "ctx", None)
        command = "similitude" if context is None else context.command_path
        stop = "" if message.endswith((".", "?", ")")) else "."
        typer.echo(f"error: {message}{stop} `{command} -h` shows how.", err=True)
    return 2


def _fail(message: str, code: int, *, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    typer.echo(printable(message, longest=2000), err=True)
    return code
