"""DIR: where a crawl lives on disk.

    DIR/crawl.json            format version and plan; written last, so that with it DIR is a crawl
    DIR/lock                  pid of the process that holds DIR
    DIR/state.sqlite          the log and every store
    DIR/warc/                 WARC files, and CDXJ beside each
    DIR/page_fetched.ndjson   one event for each page that is new, changed, an alias or gone
    DIR/links.ndjson          the link graph
    DIR/nephila.log           JSON lines, once there was something to say: faults, with their tracebacks

A crash while DIR is being made leaves a directory without crawl.json and with nothing of value; the
same command makes it whole.
"""

import json
import os
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nephila_storage.append_file import replace_file
from pydantic import TypeAdapter, ValidationError

from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.directory_lock import LOCK_NAME, DirectoryLock, holder_of
from nephila_standalone.errors import CannotWrite, OtherCrawl, writing

# Raised by whoever changes what an older nephila could not read, or reads otherwise.
FORMAT_VERSION = 1

_CRAWL_FILE = "crawl.json"
# As `replace_file` names what it has not put in place yet.
_CRAWL_FILE_NEW = f"{_CRAWL_FILE}.new"
_STATE = "state.sqlite"
_WARC = "warc"
# What a making that was cut short can leave behind.
_OF_A_MAKING = {LOCK_NAME, _CRAWL_FILE_NEW, _WARC}
_PLAN = TypeAdapter(CrawlPlan)


class DirectoryPaths:
    """The names of what lies in DIR. Nothing is opened or checked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.state = path / _STATE
        self.warc = path / _WARC
        self.page_fetched = path / "page_fetched.ndjson"
        self.links = path / "links.ndjson"
        self.log = path / "nephila.log"

    def stored_plan(self) -> CrawlPlan | None:
        """The plan of the last run; None where there is no crawl yet.

        Raises OtherCrawl when DIR is of another format or its crawl.json is damaged.
        """
        try:
            text = (self.path / _CRAWL_FILE).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            fault = f"cannot read {self.path / _CRAWL_FILE} ({error.strerror})"
            mend = "give yourself the right to read and write there, or name another --into"
            raise CannotWrite(fault, mend) from None
        return _plan_in(text, self.path)


class CrawlDirectory(DirectoryPaths):
    """DIR, held by this process until `close`. The one that writes there."""

    def __init__(self, path: Path, lock: DirectoryLock) -> None:
        super().__init__(path)
        self._lock = lock

    @classmethod
    def open(cls, path: Path) -> "CrawlDirectory":
        """Takes hold of DIR, and makes it where it is not there yet.

        Raises DirectoryInUse, OtherCrawl (another format; files that are no crawl) or CannotWrite
        (no directory, no right, no room).
        """
        if path.exists() and not path.is_dir():
            fault = f"{path} is a file, not a directory"
            raise CannotWrite(fault, "name another directory with --into")
        _refuse_foreign(path)
        with writing(path):
            try:
                path.mkdir(parents=True, exist_ok=True)
            except (NotADirectoryError, FileExistsError):
                fault = f"{path} lies below a file, so it cannot be made"
                raise CannotWrite(fault, "name another directory with --into") from None
            except FileNotFoundError:
                # As below /proc.
                fault = f"no directory can be made at {path}"
                raise CannotWrite(fault, "name another directory with --into") from None
            return cls(path, DirectoryLock.take(path))

    def keep(self, plan: CrawlPlan) -> None:
        """Writes the plan down, whole or not at all: from here on DIR is a crawl.

        Raises CannotWrite. A DIR that was a crawl before stays as it was then.
        """
        with writing(self.path):
            self.warc.mkdir(exist_ok=True)
            replace_file(self.path / _CRAWL_FILE, _text_of(plan))

    def close(self) -> None:
        self._lock.release()

    def __enter__(self) -> "CrawlDirectory":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class CrawlToRead(DirectoryPaths):
    """DIR, looked at without its lock, also while a crawl runs. Nothing in it is changed."""

    def __init__(self, path: Path, plan: CrawlPlan) -> None:
        super().__init__(path)
        self.plan = plan

    @classmethod
    def open(cls, path: Path) -> "CrawlToRead":
        """Raises OtherCrawl when there is no crawl, or one of another format."""
        plan = DirectoryPaths(path).stored_plan()
        if plan is None:
            fault = f"there is no crawl in {path}"
            raise OtherCrawl(fault, "name the directory that was given to `nephila crawl --into`")
        return cls(path, plan)

    def running_pid(self) -> int | None:
        """The process that is crawling into DIR now; None when nobody is."""
        return holder_of(self.path)


def _refuse_foreign(path: Path) -> None:
    """A directory with files of somebody else is left alone."""
    try:
        names = set(os.listdir(path))
    except FileNotFoundError:
        return
    except OSError:
        # Told better by the attempt to write.
        return
    # A file system's own folder at its root is nobody's file.
    if _CRAWL_FILE in names or names - {"lost+found"} <= _OF_A_MAKING:
        return
    fault = f"{path} holds other files and no crawl"
    raise OtherCrawl(fault, "name an empty or a new directory with --into")


def _text_of(plan: CrawlPlan) -> bytes:
    content = {
        "format": FORMAT_VERSION,
        "made_by": f"nephila {version('nephila-standalone')}",
        "fingerprint": plan.fingerprint(),
        # DIR may be moved, and the next machine may have other cores.
        "plan": _PLAN.dump_python(plan, mode="json", exclude={"into", "workers"}),
    }
    return json.dumps(content, indent=2).encode() + b"\n"


def _plan_in(text: bytes, path: Path) -> CrawlPlan:
    damaged = OtherCrawl(
        f"{path / _CRAWL_FILE} is damaged or was changed by hand",
        "put back its earlier content, or start anew with --into another directory",
    )
    try:
        content: Any = json.loads(text)
        found, made_by = content["format"], str(content.get("made_by", "another nephila"))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise damaged from None
    if found != FORMAT_VERSION:
        raise OtherCrawl(
            f"{path} is of format {found}, this nephila reads format {FORMAT_VERSION}",
            f"go on with {made_by}, or start anew with --into another directory",
        )
    try:
        plan = _PLAN.validate_python({**content["plan"], "into": path})
    except (ValidationError, KeyError, TypeError):
        raise damaged from None
    if plan.fingerprint() != content.get("fingerprint"):
        raise damaged
    return plan
