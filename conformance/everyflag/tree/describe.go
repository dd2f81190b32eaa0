package tree

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// object keeps Go's maps; encoding/json sorts their keys.
type object map[string]interface{}

// kinds are argway's names for pflag's types.
var kinds = map[string]string{
	"bool": "switch", "count": "count", "string": "string", "duration": "duration",
	"int": "int", "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int",
	"uint": "uint", "uint8": "uint8", "uint16": "uint16", "uint32": "uint32", "uint64": "uint",
	"float32": "float32", "float64": "float",
	"ip": "ip", "ipMask": "ip_mask", "ipNet": "ip_net", "bytesHex": "hex", "bytesBase64": "base64",
	"time":        "time",
	"stringSlice": "csv<string>", "stringArray": "repeat<string>",
	"intSlice": "comma<int>", "int32Slice": "comma<int32>", "int64Slice": "comma<int>",
	"uintSlice": "comma<uint>", "float32Slice": "comma<float32>", "float64Slice": "comma<float>",
	"boolSlice": "comma<bool>", "durationSlice": "comma<duration>",
	"ipSlice": "comma<ip>", "ipNetSlice": "comma<ip_net>",
	"stringToString": "map<string>", "stringToInt": "map<int>", "stringToInt64": "map<int>",
}

// Describe gives the program as argway's description format has it, from
// Cobra's and pflag's own data.
func Describe(root *cobra.Command) interface{} {
	commands := []object{}
	sets := object{}
	var walk func(cmd *cobra.Command, path []string)
	walk = func(cmd *cobra.Command, path []string) {
		commands = append(commands, describe(cmd, path, sets))
		for _, child := range cmd.Commands() {
			walk(child, append(append([]string{}, path...), child.Name()))
		}
	}
	walk(root, []string{})
	return object{
		"argway":    1,
		"name":      root.Name(),
		"family":    "cobra",
		"flag_sets": sets,
		"commands":  commands,
	}
}

func describe(cmd *cobra.Command, path []string, sets object) object {
	out := object{
		"path":      path,
		"runnable":  cmd.Runnable(),
		"effect":    "unknown",
		"usage":     cmd.UseLine(),
		"summary":   cmd.Short,
		"raw_words": cmd.DisableFlagParsing,
		"hidden":    cmd.Hidden,
		"examples":  cmd.Example,
	}
	if len(cmd.Aliases) > 0 {
		out["aliases"] = cmd.Aliases
	}
	if cmd.Long != "" {
		out["description"] = cmd.Long
	}
	params := []object{}
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) { params = append(params, describeFlag(flag)) })
	out["params"] = append(params, positionals(cmd.Use)...)

	inherited := []object{}
	cmd.InheritedFlags().VisitAll(func(flag *pflag.Flag) { inherited = append(inherited, describeFlag(flag)) })
	if len(inherited) > 0 {
		sets["global"] = inherited
		out["inherits"] = "global"
	}
	return out
}

func describeFlag(flag *pflag.Flag) object {
	varname, text := pflag.UnquoteUsage(flag)
	kind, ok := kinds[flag.Value.Type()]
	if !ok {
		kind = "other<" + flag.Value.Type() + ">"
	}
	out := object{"role": "flag", "name": flag.Name, "type": kind, "long": "--" + flag.Name, "text": text}
	if flag.Shorthand != "" {
		out["short"] = "-" + flag.Shorthand
	}
	if varname != "" {
		out["value_name"] = varname
	}
	switch flag.DefValue {
	case "", "false", "0", "0s", "[]", "<nil>":
	default:
		out["default"] = flag.DefValue
	}
	if flag.NoOptDefVal != "" && kind != "switch" && kind != "count" {
		out["bare"] = flag.NoOptDefVal
	}
	if flag.Hidden {
		out["hidden"] = true
	}
	if flag.Deprecated != "" {
		out["deprecated"] = flag.Deprecated
	}
	if len(flag.Annotations[cobra.BashCompOneRequiredFlag]) > 0 {
		out["required"] = true
	}
	return out
}

// positionals reads this program's own usage lines, which are all of the form
// `name <required> [optional] [several...]` with capitals required too.
func positionals(use string) []object {
	out := []object{}
	for _, word := range strings.Fields(use)[1:] {
		if word == "--" {
			continue
		}
		kind := "string"
		if strings.Contains(word, "...") {
			kind = "words<string>"
		}
		param := object{"role": "positional", "name": strings.Trim(word, "<>[]."), "type": kind}
		if !strings.HasPrefix(word, "[") {
			param["required"] = true
		}
		out = append(out, param)
	}
	return out
}
