from datetime import timedelta

import pytest
from nephila_standalone.environment import check_environment
from nephila_standalone.errors import BadInputs
from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class WeaverSettings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="NEPHILA_WEAVER_", frozen=True)

    # Given by the command line, not by the environment.
    colour: str
    legs: int = Field(default=8, ge=1)
    rest: timedelta = timedelta(seconds=1)


def test_known_settings_and_foreign_variables_pass() -> None:
    check_environment(
        {"NEPHILA_WEAVER_LEGS": "7", "PATH": "/bin", "nephila_weaver_rest": "2"}, [WeaverSettings]
    )


def test_an_unknown_setting_is_answered_by_the_nearest_one() -> None:
    with pytest.raises(BadInputs) as caught:
        check_environment({"NEPHILA_WEAVER_LEG": "7"}, [WeaverSettings])
    (line,) = caught.value.lines()
    assert line == (
        "nephila: there is no setting NEPHILA_WEAVER_LEG: did you mean NEPHILA_WEAVER_LEGS?"
    )


def test_a_value_that_is_none_names_its_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEPHILA_WEAVER_LEGS", "many")
    monkeypatch.setenv("NEPHILA_WEAVER_REST", "soon")
    with pytest.raises(BadInputs) as caught:
        check_environment({}, [WeaverSettings])
    first, second = caught.value.lines()
    assert "NEPHILA_WEAVER_LEGS is 'many'" in first
    assert "NEPHILA_WEAVER_REST is 'soon': write a time such as PT2S" in second
