"""The words of the command line. What each command does stands in its own module.

Imports of what a command needs are inside it, so that `nephila status` does not wait for the
services' libraries (0.5 s).
"""

import os
import sys
from difflib import get_close_matches
from typing import Any

import click

from nephila_standalone.errors import BadInput, CrawlError, printable
from nephila_standalone.exit_codes import ExitCode

_COMMANDS = ("crawl", "status", "explain", "pages")


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 2 bad input, 3 DIR in use, 4 DIR of another version or plan, "
    "5 cannot write, 6 nothing could be fetched, 130 stopped at once.",
)
@click.version_option(
    package_name="nephila-standalone", prog_name="nephila", message="%(prog)s %(version)s"
)
def nephila() -> None:
    """Crawl web sites politely, and keep what they say."""


@nephila.command()
@click.argument("urls", nargs=-1, metavar="[URL]…")
@click.option("--into", metavar="DIR", help="Where it goes [crawls/<host>]. A DIR goes on.")
@click.option("--scope", metavar="prefix|host|site|any", help="How far from the seeds [host].")
@click.option("--depth", metavar="N", help="Links followed from a seed at most.")
@click.option("--pages", metavar="N", help="Pages at most over DIR's life; none lifts it.")
@click.option("--bytes", metavar="SIZE", help="Bytes at most, such as 10MB; none lifts it.")
@click.option("--time", metavar="TIME", help="Time at most, such as 10m or 1h30m; none lifts it.")
@click.option("--delay", metavar="TIME", help="Between two requests to a host [1s, adapting].")
@click.option("--include", metavar="REGEX", multiple=True, help="Only URLs that match (any of).")
@click.option("--exclude", metavar="REGEX", multiple=True, help="No URLs that match.")
@click.option("--seeds", metavar="FILE", help="More URLs, one a line, # comments; - is stdin.")
@click.option("--contact", metavar="ADDRESS", help="Web or mail address told to the sites.")
@click.option("--allow-network", metavar="CIDR", multiple=True, help="Private network to allow.")
@click.option("--dns", metavar="HOST:PORT", help="Name server to ask.")
@click.option("--workers", metavar="N", help="Parser processes; 0 parses in the main one.")
@click.option("--json", "as_json", is_flag=True, help="Progress as JSON lines.")
def crawl(as_json: bool, **options: Any) -> ExitCode:
    """Crawl from URLs, or go on with a DIR.

    Interrupt it at any time: the same command goes on.
    """
    from nephila_standalone.crawl_command import crawl as run
    from nephila_standalone.environment import check_environment
    from nephila_standalone.plan_options import CrawlOptions, understand

    request = understand(CrawlOptions(**options))
    # Only now: a wrong command line is told without waiting for the services.
    from nephila_standalone.assembly import SETTINGS
    from nephila_standalone.pipeline import run_crawl

    check_environment(os.environ, SETTINGS)
    return run(request, run_crawl, as_json=as_json)


@nephila.command()
@click.argument("directory", metavar="DIR")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def status(directory: str, as_json: bool) -> ExitCode:
    """How far a crawl is."""
    from nephila_standalone.inspect_status import status as show

    return show(directory, as_json=as_json)


@nephila.command()
@click.argument("url")
@click.option("--in", "directory", metavar="DIR", required=True, help="The crawl to look in.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def explain(url: str, directory: str, as_json: bool) -> ExitCode:
    """Why a URL was fetched, or was not."""
    from nephila_standalone.inspect_url import explain as show

    return show(url, directory, as_json=as_json)


@nephila.command()
@click.argument("directory", metavar="DIR")
@click.option("--verdict", metavar="NAME", help="Only these: new, changed, alias, gone, failed …")
@click.option("--status", "http_status", metavar="CODE", help="Only these: 200, 404, 5xx …")
@click.option("--json", "as_json", is_flag=True, help="As JSON lines.")
def pages(directory: str, verdict: str | None, http_status: str | None, as_json: bool) -> ExitCode:
    """The pages of a crawl."""
    from nephila_standalone.inspect_pages import pages as show

    return show(directory, verdict=verdict, http_status=http_status, as_json=as_json)


def main() -> None:
    """The command: every fault as one line on stderr, and an exit code of ExitCode."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter shows a question mark instead of a traceback.
        stream.reconfigure(errors="replace")  # pyright: ignore[reportAttributeAccessIssue]
    sys.exit(_run(sys.argv[1:]))


def _run(arguments: list[str]) -> int:
    try:
        code = nephila.main(arguments, prog_name="nephila", standalone_mode=False)
        return int(code or ExitCode.DONE)
    except CrawlError as fault:
        return _tell(fault)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return ExitCode.BAD_INPUT
    except click.UsageError as error:
        return _tell(_usage_fault(error, arguments))
    except (KeyboardInterrupt, click.Abort):
        print("nephila: stopped at once: the same command goes on", file=sys.stderr)
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader of a list has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.DONE


def _tell(fault: CrawlError) -> ExitCode:
    for line in fault.lines():
        print(line, file=sys.stderr)
    return fault.exit_code


def _usage_fault(error: click.UsageError, arguments: list[str]) -> BadInput:
    """Click's complaint on one line, with what was probably meant."""
    command = error.ctx.command_path if error.ctx else "nephila"
    if isinstance(error, click.NoSuchOption):
        near = _near_option(error)
        mend = f"did you mean {near}?" if near else f"`{command} --help` lists them"
        return BadInput(f"there is no option {error.option_name}", mend)
    if isinstance(error, click.exceptions.NoSuchCommand):
        word = next((one for one in arguments if not one.startswith("-")), "")
        near = get_close_matches(word, _COMMANDS, n=1)
        mend = f"did you mean `nephila {near[0]}`?" if near else "`nephila --help` lists them"
        if "." in word or "/" in word:
            mend = f"did you mean `nephila crawl {printable(word)}`?"
        return BadInput(f"there is no command {word}", mend)
    message = " ".join(error.format_message().split()).rstrip(".")
    return BadInput(message[:1].lower() + message[1:], f"`{command} --help` shows how")


def _near_option(error: click.NoSuchOption) -> str | None:
    params = error.ctx.command.params if error.ctx else []
    names = [name for param in params for name in param.opts if name.startswith("--")]
    near = get_close_matches(error.option_name, names, n=1, cutoff=0.5)
    return near[0] if near else None
