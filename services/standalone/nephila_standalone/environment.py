"""The environment variables with our prefix: each must be one that somebody reads, and read well."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from pydantic import ValidationError
from pydantic_settings import BaseSettings

from nephila_standalone.errors import BadInput, BadInputs

PREFIX = "NEPHILA_"
# Read by the tests' own helpers, not by a service.
_OF_DEVELOPMENT = ("NEPHILA_SHARED_DATA",)


def check_environment(environ: Mapping[str, str], settings: Sequence[type[BaseSettings]]) -> None:
    """Raises BadInputs with a line for each variable that no setting reads, or whose value is none."""
    known = sorted({name for one in settings for name in names_of(one)}.union(_OF_DEVELOPMENT))
    ours = sorted(name for name in environ if name.upper().startswith(PREFIX))
    faults = [_unknown(name, known) for name in ours if name.upper() not in known]
    for one in settings:
        faults.extend(_wrong_values(one))
    if faults:
        raise BadInputs(faults)


def names_of(settings: type[BaseSettings]) -> Iterable[str]:
    """The variables that a settings class reads, in upper case."""
    prefix = settings.model_config.get("env_prefix", "")
    return [f"{prefix}{field}".upper() for field in settings.model_fields]


def _unknown(name: str, known: Sequence[str]) -> BadInput:
    near = get_close_matches(name.upper(), known, n=1, cutoff=0.6)
    mend = f"did you mean {near[0]}?" if near else "unset it"
    return BadInput(f"there is no setting {name}", mend)


def _wrong_values(settings: type[BaseSettings]) -> list[BadInput]:
    try:
        settings()
    except ValidationError as error:
        prefix = settings.model_config.get("env_prefix", "")
        return [
            BadInput(
                f"{prefix}{'_'.join(map(str, one['loc']))}".upper()
                + f" is {str(one['input'])[:100]!r}",
                _mend(one["type"], one["msg"]),
            )
            for one in error.errors()
            # What has no default comes from the command line.
            if one["type"] != "missing"
        ]
    return []


def _mend(kind: str, message: str) -> str:
    # Pydantic speaks of day identifiers where somebody wrote plain seconds.
    if kind.startswith("time_delta"):
        return "write a time such as PT2S, PT10M or 01:30:00"
    return message[:1].lower() + message[1:]
