"""What a click, typer or rich-click program's own commands know of themselves.

    PYTHON click_witness.py PROGRAM [COMMAND ...]

PYTHON is that of the environment which PROGRAM is installed in.
"""

import importlib

import entry


def flag_of(option):
    bare = bool(getattr(option, "_flag_needs_value", False))
    return {
        "names": [*option.opts, *option.secondary_opts],
        "takes_value": not (option.is_flag or option.count),
        "optional_value": bare,
        "choices": [getattr(it, "name", str(it)) for it in getattr(option.type, "choices", ())],
        "repeatable": bool(option.multiple or option.count),
        "hidden": bool(option.hidden),
        "required": bool(option.required),
    }


def positional_of(argument):
    return {
        "name": argument.metavar or argument.name.upper(),
        "required": bool(argument.required),
        "many": argument.nargs != 1,
    }


def commands_of(command, path, context_class, above, hidden=False):
    context = context_class(command, info_name=path[-1] if path else "program", parent=above)
    flags, positionals = [], []
    for param in command.get_params(context):
        if param.param_type_name != "option":
            if not getattr(param, "hidden", False):
                positionals.append(positional_of(param))
        elif param.name != "help" and "--help" not in param.opts:
            flags.append(flag_of(param))
    yield {"path": path, "aliases": [], "hidden": hidden, "flags": flags, "positionals": positionals}
    if not hasattr(command, "list_commands"):
        return
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        if child is not None:
            yield from commands_of(child, [*path, name], context_class, context, bool(child.hidden))


def describe(command, words):
    core = importlib.import_module(next(it.__module__ for it in type(command).__mro__ if it.__name__ == "Command"))
    return list(commands_of(command, list(words), core.Context, None))


witness = entry.Witness(describe)


def stop_at(command, *_, **__):
    witness.found(command)


# typer brings its own copy of click since it left the original.
for name in ("click.core", "typer._click.core", "asyncclick.core"):
    try:
        core = importlib.import_module(name)
    except ImportError:
        continue
    for base in ("BaseCommand", "Command"):
        if hasattr(core, base):
            getattr(core, base).make_context = stop_at
witness.run()
