from pathlib import Path

import nephila_standalone
from nephila_standalone.exit_codes import ExitCode


def test_the_readme_lists_every_exit_code() -> None:
    readme = Path(nephila_standalone.__file__).parents[1] / "README.md"
    table = readme.read_text("utf-8")
    for code in ExitCode:
        assert f"| {code.value} |" in table
