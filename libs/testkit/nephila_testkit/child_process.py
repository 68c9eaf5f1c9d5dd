"""A process of the tests: started, waited for until it says so, and surely ended."""

import subprocess
from collections.abc import Sequence
from types import TracebackType
from typing import Self

_PATIENCE_S = 5.0


class ChildProcess:
    """A context: the process runs inside it. Its errors go to the test's own stderr.

    `told` is what it reads from stdin, to the end.
    """

    def __init__(self, command: Sequence[str], told: str = "") -> None:
        self._command = list(command)
        self._told = told

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdin is not None
        with self._process.stdin as stdin:
            stdin.write(self._told)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._process.terminate()
        try:
            self._process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_for_line(self, line: str) -> None:
        """Returns once the process has written the line; RuntimeError when it ends before."""
        assert self._process.stdout is not None
        for written in self._process.stdout:
            if written.strip() == line:
                return
        raise RuntimeError(f"{self._command[0]} ended before it was ready")
