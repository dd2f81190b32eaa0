"""Starts an installed Python program as its own launcher would.

A witness replaces the method in which the program's parser meets `--help` with a call of
`found`, then starts the program with that word: the parser is complete by then, and
nothing that comes after it is run.
"""

import json
import os
import runpy
import subprocess
import sys
from importlib import metadata

# What the program prints is not the testimony.
TESTIMONY = os.dup(1)


class Witness:
    """`WITNESS PROGRAM [COMMAND ...]` prints what `describe(parser, path)` says of it.

    Commands that the root's parser does not know of, because they have parsers of their
    own, are named behind the program, each as one argument ("remote add").
    """

    def __init__(self, describe):
        self.describe = describe
        self.words = []

    def found(self, parser):
        """Testifies and ends the program there and then: it may catch any exception."""
        with os.fdopen(TESTIMONY, "w") as testimony:
            json.dump(self.describe(parser, self.words), testimony)
        os._exit(0)

    def run(self):
        program, *commands = sys.argv[1:]
        if program == "--one":
            program, *self.words = commands
            os.dup2(2, 1)
            start(program, self.words)
            return
        described = []
        for command in ["", *commands]:
            one = [sys.executable, sys.argv[0], "--one", program, *command.split()]
            answer = subprocess.run(one, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=120)
            described += json.loads(answer.stdout or "[]")
        if not any(command["path"] == [] for command in described):
            described.insert(0, {"path": [], "aliases": [], "hidden": False, "flags": [], "positionals": []})
        print(json.dumps({"program": os.path.basename(program), "commands": described}, indent=1))


def start(program, words):
    """Runs `program words --help`."""
    sys.argv = [program, *words, "--help"]
    for entry in metadata.entry_points(group="console_scripts", name=os.path.basename(program)):
        entry.load()()
        return
    # No entry point: the launcher is the program.
    runpy.run_path(os.path.join(os.path.dirname(sys.executable), program), run_name="__main__")
