"""Starts an installed Python program as its own launcher would.

A witness replaces the method in which the program's parser meets `--help`, then starts
the program with that: the parser is complete by then, and nothing else is run.
"""

import json
import os
import runpy
import subprocess
import sys
from importlib import metadata


class Witnessed(BaseException):
    """Carries the parser out of the program: no handler of the program's catches it."""

    def __init__(self, found):
        super().__init__("witnessed")
        self.found = found


def start(program, words):
    """Runs `program words --help` until a witness stops it; gives what it found."""
    sys.argv = [program, *words, "--help"]
    entries = metadata.entry_points(group="console_scripts", name=os.path.basename(program))
    try:
        for entry in entries:
            entry.load()()
            return None
        # No entry point: the launcher is the program.
        runpy.run_path(os.path.join(os.path.dirname(sys.executable), program), run_name="__main__")
    except Witnessed as witnessed:
        return witnessed.found
    except SystemExit:
        return None
    return None


def testify(describe):
    """`WITNESS PROGRAM [COMMAND ...]`: prints what `describe(found, path)` says.

    Commands that the root's parser does not know of are named behind the program, each
    as one argument ("remote add"): they have a parser of their own.
    """
    program, *commands = sys.argv[1:]
    if program == "--one":
        program, *words = commands
        # What the program prints is not the testimony.
        testimony, sys.stdout = sys.stdout, sys.stderr
        found = start(program, words)
        sys.stdout = testimony
        described = describe(found, words) if found is not None else []
        print(json.dumps(described))
        return
    described = []
    for command in ["", *commands]:
        one = [sys.executable, sys.argv[0], "--one", program, *command.split()]
        answer = subprocess.run(one, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=120)
        described += json.loads(answer.stdout.splitlines()[-1] if answer.stdout else "[]")
    if not any(command["path"] == [] for command in described):
        described.insert(0, {"path": [], "aliases": [], "hidden": False, "flags": [], "positionals": []})
    print(json.dumps({"program": os.path.basename(program), "commands": described}, indent=1))
