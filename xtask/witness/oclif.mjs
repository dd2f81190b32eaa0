// What an oclif program's manifest says of it, as a witness for what argway reads.
//
//   node oclif.mjs MANIFEST [NAME [SEPARATOR]]
//
// MANIFEST is the package's `oclif.manifest.json`, or what `commands --json` printed.
// SEPARATOR is what stands between a topic and its command where it is called: `:`, or a
// blank, for which every word is one of the path.
import { readFileSync } from "node:fs";

const document = JSON.parse(readFileSync(process.argv[2], "utf8"));
const list = Array.isArray(document) ? document : Object.values(document.commands);
const program = process.argv[3] ?? list[0].pluginName;
const path = (id) => (process.argv[4] === " " ? id.split(":") : [id]);

const commands = list.map((command) => ({
  path: path(command.id),
  aliases: command.aliases ?? [],
  hidden: Boolean(command.hidden),
  flags: Object.values(command.flags ?? {})
    .filter((flag) => flag.name !== "help")
    .map((flag) => ({
      names: [`--${flag.name}`, ...(flag.char ? [`-${flag.char}`] : [])],
      takes_value: flag.type === "option",
      optional_value: false,
      choices: flag.options ?? [],
      repeatable: Boolean(flag.multiple),
      hidden: Boolean(flag.hidden),
      required: Boolean(flag.required) && flag.default === undefined,
    })),
  positionals: Object.values(command.args ?? {})
    .filter((argument) => !argument.hidden)
    .map((argument) => ({
      name: argument.name,
      required: Boolean(argument.required) && argument.default === undefined,
      many: Boolean(argument.multiple),
    })),
}));
console.log(JSON.stringify({ program, commands }, null, 1));
