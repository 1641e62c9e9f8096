"""The command line: one file per command; this module runs them and prints errors.

`similitude --help` loads only the imports of this module: no numpy, no measures.
"""

import os
import sys
import traceback
from typing import Any

import typer

from .. import __version__
from .._base._printable import printable
from .._base._source import source_hash
from ..errors import SimilitudeError, in_shell
from ._commands import COMMANDS, SETTINGS, Commands
from ._say import say
from ._stopping import close_stdout, stop_as_interrupt, stoppable

__all__ = ["app", "main"]

BUG = 70  # EX_SOFTWARE in sysexits.h; 1 is for a verdict, as of `doctor`

app = typer.Typer(
    cls=Commands,
    help="Compare representations of neural networks.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    **SETTINGS | {"add_completion": True},
)
for _name, (_, _line) in COMMANDS.items():  # a placeholder; see Commands
    app.command(_name, help=_line)(lambda: None)


@app.callback(invoke_without_command=True)
def _similitude(
    *,
    version: bool = typer.Option(False, "--version", help="Print the version."),  # noqa: FBT003
    debug: bool = typer.Option(False, "--debug", help="Show tracebacks."),  # noqa: FBT003
) -> None:
    """Handle options before the command; `main` handles --debug."""
    if version:
        say(f"similitude {__version__} (source {source_hash()})")
        raise typer.Exit


def main(arguments: list[str] | None = None) -> None:
    """Run a command.

    Exit codes: 0 finished; 1 finished, and the verdict is negative; 2 the request
    cannot be met; 3 some pairs failed, or memory ran out for them; 4 finished,
    and the verdict is open; 70 a bug in similitude; 130 interrupted; 141 the reader
    closed the pipe.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    # --debug may be anywhere, because people append it to a command that failed.
    debug = "--debug" in arguments
    if hasattr(sys.stdout, "reconfigure"):  # a terminal may lack letters of a name
        sys.stdout.reconfigure(errors="backslashreplace")
    with stoppable(), in_shell():
        try:
            code = _exit_code([a for a in arguments if a != "--debug"], debug=debug)
        except MemoryError:  # there is none for the text of the error
            os.write(2, b"error: not enough memory.\n")
            code = 2
        raise SystemExit(code)


def _exit_code(arguments: list[str], *, debug: bool) -> int:
    """Run a command, print its error if there is one, and return the exit code."""
    try:
        return _run(arguments)
    except SimilitudeError as error:
        return _fail(f"error: {error}", 2, debug=debug)
    except KeyboardInterrupt:
        return _fail("stopped", 130, debug=debug)
    except BrokenPipeError:
        close_stdout()
        return 141  # the exit code of shells for SIGPIPE
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        return _fail(f"error: {where}{error.strerror or error}", 2, debug=debug)
    except Exception as error:
        # The others are an ImportError of shared objects.
        texts = ("failed to map segment", "std::bad_alloc")
        if isinstance(error, MemoryError) or any(text in str(error) for text in texts):
            advice = "Use fewer rows (--rows) or fewer files at a time."
            message = f"error: not enough memory ({error}). {advice}"
            return _fail(message, 2, debug=debug)
        if hasattr(error, "format_message"):  # a usage error from typer
            return _usage_error(error)
        what = f"{type(error).__name__}: {error}"
        advice = "" if debug else " Run again with --debug and report the output."
        message = f"error: this is a bug in similitude ({what}).{advice}"
        return _fail(message, BUG, debug=debug)


def _run(arguments: list[str]) -> int:
    """Run a command without error handling; undo how typer handles Ctrl-C and pipes."""
    try:
        with stop_as_interrupt():
            code = app(arguments, prog_name="similitude", standalone_mode=False)
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):
            raise stop.__context__ from None
        raise
    if code == 130:
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0


def _usage_error(error: Any) -> int:
    """Print a usage error in one line, or the help text that typer raised."""
    message = error.format_message().strip()
    if "\n" in message:
        say(message, err=True)
    else:
        context = getattr(error, "ctx", None)
        command = "similitude" if context is None else context.command_path
        stop = "" if message.endswith((".", "?", ")")) else "."
        say(f"error: {message}{stop} See `{command} -h`.", err=True)
    return 2


def _fail(message: str, code: int, *, debug: bool) -> int:
    if debug:
        say(traceback.format_exc().rstrip(), err=True)
    say(printable(message, longest=2000), err=True)
    return code
