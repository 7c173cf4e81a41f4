"""Reads the settings at start, and says in one line what is wrong with them.

Invariant: `load` reads them once; they never change afterwards. The environment overrides the file. The error for a bad
setting names it, gives the reason and an example. It never repeats the value, which may be a secret. Other `SIEVE_*`
variables are ignored (the command line has some); an unknown name in the file is an error.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from sieve.config import PREFIX, Settings, Unfit
from sieve.config_error import ConfigError

FILE_VARIABLE = "SIEVE_CONFIG"


def load() -> Settings:
    """The settings, from the environment and the file that it names.

    Raises:
        ConfigError: the file cannot be read, or a setting is bad; the error names the first one.
    """
    file = os.environ.get(FILE_VARIABLE)
    values = read(Path(file), FILE_VARIABLE) if file else {}
    try:
        return Settings(**values)
    except ValidationError as error:
        raise ConfigError(_line(error, file, os.environ)) from None


class _OfFile(Settings):
    """Settings that no environment variable changes."""

    # The descriptions are inherited. To look for them in this class, pydantic goes through all loaded modules.
    model_config = SettingsConfigDict(use_attribute_docstrings=False)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


def changed(settings: Settings, values: Mapping[str, Any], file: Path) -> Settings:
    """These settings with the values of another file in place of theirs; None unsets one.

    Raises:
        ConfigError: a setting is bad; the error names the first one.
    """
    stays = {name: getattr(settings, name) for name in settings.model_fields_set}
    given = {name: value for name, value in (stays | dict(values)).items() if value is not None}
    try:
        return _OfFile(**given)
    except ValidationError as error:
        raise ConfigError(_line(error, str(file), {})) from None


def read(file: Path, named_by: str) -> dict[str, Any]:
    """The settings in a TOML file, unchecked. `named_by`: the variable or option that names it.

    Raises:
        ConfigError: it cannot be read, or names a setting that does not exist.
    """
    try:
        values = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{named_by}: cannot read {file}: {error.strerror}; name a readable TOML file") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{named_by}: {file} is not UTF-8; save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f'{named_by}: {file} is not TOML: {error}; write lines such as name = "alpha"') from None
    for key in values:
        if key not in Settings.model_fields:
            raise ConfigError(f"{key} in {file}: there is no such setting; remove it or correct its name")
    return values


def _line(error: ValidationError, file: str | None, environment: Mapping[str, str]) -> str:
    # hide_input_in_errors covers str(error); the inputs are left out of the parts, too, so that no secret can slip in.
    first = error.errors(include_url=False, include_input=False)[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, Unfit):
        field, reason, example = cause.field, cause.reason, cause.example
    else:
        field, example = str(first["loc"][0]), None
        reason = str(cause) if isinstance(cause, ValueError) else _lower_first(first["msg"])
    info = Settings.model_fields[field]
    if example is None:
        example = info.examples[0] if info.examples else info.default
    variable = f"{PREFIX}{field.upper()}"
    from_file = file is not None and variable not in environment
    place = f"{field} in {file}" if from_file else variable
    shown = f"{field} = {_toml(example)}" if from_file else f"{variable}={example}"
    return f"{place}: {reason}; for example {shown}"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _toml(value: object) -> str:
    return str(value) if isinstance(value, int | float) else f'"{value}"'
