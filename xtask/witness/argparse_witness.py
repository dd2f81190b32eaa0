"""What an argparse or optparse program's own parser knows: commands, flags, positionals.

    PYTHON argparse_witness.py PROGRAM [COMMAND ...]

PYTHON is that of the environment which PROGRAM is installed in.
"""

import argparse
import optparse

import entry


def flag_of(action):
    many = isinstance(action, (argparse._AppendAction, argparse._AppendConstAction, argparse._CountAction))
    many = many or action.nargs in ("*", "+")
    return {
        "names": list(action.option_strings),
        "takes_value": action.nargs != 0,
        "optional_value": action.nargs in ("?", "*"),
        "choices": [str(choice) for choice in action.choices or []] if action.nargs != 0 else [],
        "repeatable": many,
        "hidden": action.help is argparse.SUPPRESS,
        "required": bool(action.required),
    }


def positional_of(action):
    name = action.metavar if action.metavar is not None else action.dest
    return {
        "name": name if isinstance(name, str) else " ".join(name),
        "required": action.nargs not in ("?", "*", argparse.REMAINDER),
        "many": action.nargs in ("*", "+", argparse.REMAINDER) or isinstance(action.nargs, int) and action.nargs > 1,
    }


def children_of(action):
    """Each sub-parser once, with all its names."""
    shown = {it.dest: it.help is not argparse.SUPPRESS for it in action._choices_actions}
    children = {}
    for name, parser in action._name_parser_map.items():
        children.setdefault(id(parser), (parser, []))[1].append(name)
    for parser, names in children.values():
        listed = [name for name in names if name in shown]
        first = listed[0] if listed else names[0]
        # Without a help text it is named in the list of choices, unless a word stands for that.
        hidden = not shown[first] if listed else action.metavar is not None
        yield first, [name for name in names if name != first], hidden, parser


def commands_of(parser, path, aliases=(), hidden=False, above=()):
    if parser in above:
        return
    flags, positionals, below = [], [], []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            below += children_of(action)
        elif isinstance(action, argparse._HelpAction) or "--help" in action.option_strings:
            continue
        elif action.option_strings:
            flags.append(flag_of(action))
        elif action.help is not argparse.SUPPRESS:
            positionals.append(positional_of(action))
    yield {"path": path, "aliases": list(aliases), "hidden": hidden, "flags": flags, "positionals": positionals}
    for name, aliases, hidden, child in below:
        yield from commands_of(child, [*path, name], aliases, hidden, (*above, parser))


def option_of(option):
    return {
        "names": option._short_opts + option._long_opts,
        "takes_value": option.takes_value(),
        "optional_value": False,
        "choices": [str(choice) for choice in option.choices or []],
        "repeatable": option.action in ("append", "append_const", "count"),
        "hidden": option.help is optparse.SUPPRESS_HELP,
        "required": False,
    }


def describe(parser, words):
    if isinstance(parser, optparse.OptionParser):
        groups = [parser, *parser.option_groups]
        options = [option for group in groups for option in group.option_list]
        flags = [option_of(option) for option in options if "--help" not in option._long_opts]
        return [{"path": list(words), "aliases": [], "hidden": False, "flags": flags, "positionals": []}]
    return list(commands_of(parser, list(words)))


witness = entry.Witness(describe)


def stop_at(parser, *_, **__):
    witness.found(parser)


def replace(parsers):
    """Puts the stop into a class, and into those that are made of it and have their own."""
    for name in ("print_help", "format_help"):
        setattr(parsers, name, stop_at)
    parsers.__init_subclass__ = classmethod(replace_own)


def replace_own(parsers, **_):
    for name in ("print_help", "format_help"):
        if name in vars(parsers):
            setattr(parsers, name, stop_at)


replace(argparse.ArgumentParser)
replace(optparse.OptionParser)
argparse._HelpAction.__call__ = lambda self, parser, *_: stop_at(parser)
witness.run()
