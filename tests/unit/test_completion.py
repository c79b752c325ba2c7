"""The scripts of `sitecrawl completion`."""

import subprocess

import pytest

from sitecrawl.commandline import names
from sitecrawl.commands.completion import script
from sitecrawl.errors import ConfigError


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_every_command_and_its_options_are_named(shell):
    text = script(shell)
    assert [name for name in names() if name not in text] == []
    assert "chunks" in text


def test_an_unknown_shell_is_one_line():
    with pytest.raises(ConfigError, match="no completion for 'cmd'; known: bash"):
        script("cmd")


def test_the_script_for_bash_completes(tmp_path):
    file = tmp_path / "completion"
    file.write_text(script("bash"))
    typed = "COMP_WORDS=(sitecrawl export --ch); COMP_CWORD=2; _shtab_sitecrawl; echo ${COMPREPLY[@]}"
    done = subprocess.run(["bash", "-c", f"source {file}; {typed}"], capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["--changed", "--chunks"]
