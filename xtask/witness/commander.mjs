// What a commander program's parser knows of itself, as a witness for what argway reads.
//
//   node commander.mjs SCRIPT [NAME]
//
// Loads the program's own script. Commander is caught as its objects come into being,
// by a property that its constructor sets, so that bundled copies and any version are
// seen; once the program calls parse, what was declared is printed and Node ends.
// No action, hook or subcommand of the program runs.
import { pathToFileURL } from "node:url";
import { realpathSync, writeSync } from "node:fs";
import { basename } from "node:path";

const script = realpathSync(process.argv[2]);
const program = process.argv[3] ?? basename(process.argv[2]).replace(/\.[cm]?js$/, "");
let created = 0;

Object.defineProperty(Object.prototype, "_allowUnknownOption", {
  configurable: true,
  set(value) {
    const own = (name, value) =>
      Object.defineProperty(this, name, { value, writable: true, enumerable: false, configurable: true });
    own("_allowUnknownOption", value);
    // On the object, because old versions make one before their prototype is complete.
    own("parse", () => print(root(this)));
    own("parseAsync", () => print(root(this)));
    created += 1;
  },
});

function root(command) {
  while (command.parent) command = command.parent;
  return command;
}

function print(command) {
  const commands = [];
  walk(command, [], false, commands);
  let text = Buffer.from(JSON.stringify({ program, commands }, null, 1) + "\n");
  while (text.length > 0) text = text.subarray(writeSync(1, text));
  // Not process.exit: the program may have asked to hear of that.
  process.reallyExit(0);
}

function walk(command, path, hidden, commands) {
  commands.push({
    path,
    aliases: command._aliases ?? (command._alias ? [command._alias] : []),
    hidden,
    flags: options(command).filter((flag) => !flag.names.includes("--help")),
    positionals: (command.registeredArguments ?? command._args ?? []).map((argument) => ({
      name: typeof argument.name === "function" ? argument.name() : argument.name,
      required: Boolean(argument.required),
      many: Boolean(argument.variadic),
    })),
  });
  for (const child of command.commands) {
    const name = typeof child.name === "function" ? child.name() : child._name;
    if (name === "help" || name === "*") continue;
    walk(child, [...path, name], hidden || Boolean(child._hidden ?? child._noHelp), commands);
  }
}

function options(command) {
  const flags = command.options.map((option) => ({
    names: [option.long, option.short].filter(Boolean),
    takes_value: Boolean(option.required || option.optional),
    optional_value: Boolean(option.optional),
    choices: option.argChoices ?? [],
    repeatable: Boolean(option.variadic),
    hidden: Boolean(option.hidden),
    required: Boolean(option.mandatory),
  }));
  return flags;
}

process.argv = [process.execPath, process.argv[2]];
process.on("exit", () => {
  const what = created === 0 ? "made no commander object" : "did not parse its arguments";
  console.error(`witness: the program ${what}`);
  process.exitCode = 1;
});
await import(pathToFileURL(script).href);
