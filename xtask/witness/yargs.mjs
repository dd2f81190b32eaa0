// What a yargs program's parser knows of itself, as a witness for what argway reads.
//
//   node yargs.mjs SCRIPT [NAME]
//
// For each command this starts Node with the program's own script and `PATH --help`, and
// catches yargs at the moment when it is about to print the page: what it would print
// from is written down instead, and that Node ends. yargs is found by properties that it
// sets on its own objects, so that bundled copies and any version are seen. Commands'
// builders run, as they do for any `--help`; handlers never do.
import { spawnSync } from "node:child_process";
import { realpathSync, writeSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const inside = process.env.ARGWAY_WITNESS_PATH;
if (inside === undefined) collect();
else await load(JSON.parse(inside));

function collect() {
  const script = process.argv[2];
  const program = process.argv[3] ?? basename(script).replace(/\.[cm]?js$/, "");
  const commands = [];
  const waiting = [{ path: [], aliases: [], hidden: false }];
  while (waiting.length > 0 && commands.length < 1000) {
    const { path, aliases, hidden } = waiting.shift();
    const ran = spawnSync(process.execPath, [fileURLToPath(import.meta.url), script], {
      env: { ...process.env, ARGWAY_WITNESS_PATH: JSON.stringify(path), LC_ALL: "C.UTF-8" },
      stdio: ["ignore", "ignore", "inherit", "pipe"],
      timeout: 60_000,
    });
    let seen;
    try {
      seen = JSON.parse(ran.output[3].toString());
    } catch {
      console.error(`witness: nothing was seen of ${[program, ...path].join(" ")}`);
      if (path.length === 0) process.exit(1);
      continue;
    }
    // A name that yargs does not know shows the page of the command above.
    if (path.length > 0 && seen.at.join(" ") !== path.join(" ")) continue;
    commands.push({ path, aliases, hidden, flags: seen.flags, positionals: seen.positionals });
    waiting.push(...seen.commands.map((child) => ({ ...child, path: [...path, child.name] })));
  }
  console.log(JSON.stringify({ program, commands }, null, 1));
}

async function load(path) {
  const script = realpathSync(process.argv[2]);
  let instances = [];
  const own = (object, name, value) =>
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  // Every yargs object sets this one.
  Object.defineProperty(Object.prototype, "$0", {
    configurable: true,
    set(value) {
      own(this, "$0", value);
      instances.push(this);
    },
  });
  // And so does the part of it that prints, before it sets `help`.
  Object.defineProperty(Object.prototype, "failFn", {
    configurable: true,
    set(value) {
      own(this, "failFn", value);
      const usage = this;
      let help;
      Object.defineProperty(usage, "help", {
        configurable: true,
        enumerable: true,
        get: () => help && (() => print(usage, instances.find((it) => usageOf(it) === usage))),
        set: (value) => (help = value),
      });
    },
  });
  process.argv = [process.execPath, process.argv[2], ...path, "--help"];
  await import(pathToFileURL(script).href);
}

function inner(yargs) {
  return typeof yargs.getInternalMethods === "function" ? yargs.getInternalMethods() : yargs;
}

function usageOf(yargs) {
  try {
    return inner(yargs).getUsageInstance?.();
  } catch {
    return undefined;
  }
}

function print(usage, yargs) {
  const options = yargs.getOptions();
  const groups = yargs.getGroups();
  const demanded = yargs.getDemandedOptions();
  const descriptions = usage.getDescriptions();
  const positionals = groups[usage.getPositionalGroupName?.()] ?? [];
  const aliases = options.alias ?? {};
  // Names that stand for each other, each set once.
  const together = (name) => {
    const owner = aliases[name] ? name : Object.keys(aliases).find((key) => aliases[key].includes(name));
    return [...new Set([name, ...(owner ? [owner, ...aliases[owner]] : [])])];
  };
  const declared = [
    ...Object.keys(options.key ?? {}),
    ...Object.keys(descriptions),
    ...Object.keys(demanded),
    ...Object.keys(options.default ?? {}),
  ];
  const met = new Set();
  const keys = declared.filter((key) => {
    if (key === "_" || key === "$0" || met.has(key) || positionals.includes(key)) return false;
    together(key).forEach((it) => met.add(it));
    return true;
  });
  const shown = new Set(
    [descriptions, demanded, options.default ?? {}].flatMap(Object.keys),
  );
  const flags = keys
    .map((key) => {
      const all = together(key);
      const has = (type) => (options[type] ?? []).some((it) => all.includes(it));
      const choices = all.flatMap((it) => options.choices?.[it] ?? []);
      const takes = !has("boolean") && !has("count");
      const typed = ["string", "number", "array", "normalize"].some(has);
      return {
        names: all.map((name) => (name.length > 1 ? "--" : "-") + name),
        takes_value: takes,
        optional_value: takes && !typed && choices.length === 0,
        choices: [...new Set(choices.map(String))],
        repeatable: has("array") || has("count"),
        hidden: (options.hiddenOptions ?? []).some((it) => all.includes(it)) || !all.some((it) => shown.has(it)),
        required: all.some((it) => it in demanded),
      };
    })
    .filter((flag) => !flag.names.includes("--help"));
  const context = inner(yargs).getContext?.() ?? yargs.getContext?.() ?? { commands: [] };
  const commands = usage.getCommands().map(([name, description, isDefault, aliases]) => ({
    name: name.split(" ")[0],
    aliases: aliases ?? [],
    hidden: description === false,
    isDefault,
  }));
  const seen = {
    at: context.commands ?? [],
    commands: commands.filter((command) => !/^[$<[]/.test(command.name)),
    flags,
    positionals: taken(context.fullCommands?.at(-1) ?? ""),
  };
  let text = Buffer.from(JSON.stringify(seen));
  while (text.length > 0) text = text.subarray(writeSync(3, text));
  // Not process.exit: the program may have asked to hear of that.
  process.reallyExit(0);
}

// What a command takes is declared in its name: `deploy <app> [stacks..]`.
function taken(command) {
  return [...command.matchAll(/([<[])([^>\]]+)[>\]]/g)].map(([, open, name]) => ({
    name: name.split("|")[0].replace(/\.+$/, ""),
    required: open === "<",
    many: /\.\.$/.test(name),
  }));
}
