package tree

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Ophis gives the tools that ophis' documented rules make of the program, its
// mistakes included. It is those rules applied to pflag's own data, not a run
// of ophis: see GUIDE.md.
func Ophis(root *cobra.Command) []object {
	tools := []object{}
	for _, child := range root.Commands() {
		tools = append(tools, Ophis(child)...)
	}
	if root.Runnable() && !root.Hidden && root.Deprecated == "" {
		tools = append(tools, ophisTool(root))
	}
	return tools
}

func ophisTool(cmd *cobra.Command) object {
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	if cmd.Example != "" {
		about += "\nExamples:\n" + cmd.Example
	}
	args := "Positional command line arguments"
	if _, pattern, found := strings.Cut(strings.Replace(cmd.Use, " [flags]", "", 1), " "); found {
		args += "\nUsage pattern: " + pattern
	}
	return object{
		"name":        strings.ReplaceAll(cmd.CommandPath(), " ", "_"),
		"description": about,
		"inputSchema": object{
			"type": "object",
			"properties": object{
				"flags": ophisFlags(cmd),
				"args": object{
					"type":        []string{"null", "array"},
					"items":       object{"type": "string"},
					"description": args,
				},
			},
			"required":             []string{"flags"},
			"additionalProperties": false,
		},
		"outputSchema": object{
			"type": "object",
			"properties": object{
				"stdout":   object{"type": "string", "description": "Standard output"},
				"stderr":   object{"type": "string", "description": "Standard error"},
				"exitCode": object{"type": "integer", "description": "Exit code"},
			},
			"required":             []string{"exitCode"},
			"additionalProperties": false,
		},
	}
}

func ophisFlags(cmd *cobra.Command) object {
	properties, required := object{}, []string{}
	add := func(flag *pflag.Flag) {
		if flag.Hidden || flag.Deprecated != "" {
			return
		}
		properties[flag.Name] = ophisFlag(flag)
		if len(flag.Annotations[cobra.BashCompOneRequiredFlag]) > 0 {
			required = append(required, flag.Name)
		}
	}
	cmd.InheritedFlags().VisitAll(add)
	cmd.LocalFlags().VisitAll(add)
	out := object{
		"type":                 "object",
		"description":          "Command line flags",
		"properties":           properties,
		"additionalProperties": false,
	}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// ophisTypes is the seed's table: JSON type, type of elements or values, what
// the description adds, pattern.
var ophisTypes = map[string][4]string{
	"bool": {"boolean"}, "string": {"string"}, "count": {"integer"},
	"int": {"integer"}, "int8": {"integer"}, "int16": {"integer"}, "int32": {"integer"}, "int64": {"integer"},
	"uint": {"integer"}, "uint8": {"integer"}, "uint16": {"integer"}, "uint32": {"integer"}, "uint64": {"integer"},
	"float32": {"number"}, "float64": {"number"},
	"stringSlice": {"array", "string"}, "stringArray": {"array", "string"},
	"intSlice": {"array", "integer"}, "int32Slice": {"array", "integer"},
	"int64Slice": {"array", "integer"}, "uintSlice": {"array", "integer"},
	"float32Slice": {"array", "number"}, "float64Slice": {"array", "number"},
	"boolSlice":      {"array", "boolean"},
	"stringToString": {"object", "string", "(format: key-value pairs)"},
	"stringToInt":    {"object", "integer", "(format: key-value pairs with integer values)"},
	"stringToInt64":  {"object", "integer", "(format: key-value pairs with integer values)"},
	"duration": {"string", "", "(format: Go duration string, e.g., '10s', '2h45m')",
		`^-?([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`},
	"ip": {"string", "", "(format: IPv4 or IPv6 address)",
		`^((25[0-5]|(2[0-4]|1\d|[1-9]|)\d)\.){3}(25[0-5]|(2[0-4]|1\d|[1-9]|)\d)$|^(([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4})$`},
	"ipNet": {"string", "", "(format: CIDR notation, e.g., '192.168.1.0/24')",
		`^((25[0-5]|(2[0-4]|1\d|[1-9]|)\d)\.){3}(25[0-5]|(2[0-4]|1\d|[1-9]|)\d)/([0-9]|[1-2][0-9]|3[0-2])$`},
	"ipMask":      {"string", "", "(format: IP mask, e.g., '255.255.255.0')"},
	"bytesHex":    {"string", "", "(format: hexadecimal string)", `^[0-9a-fA-F]*$`},
	"bytesBase64": {"string", "", "(format: base64 encoded string)", `^[A-Za-z0-9+/]*={0,2}$`},
}

func ophisFlag(flag *pflag.Flag) object {
	row, known := ophisTypes[flag.Value.Type()]
	if !known {
		row = [4]string{"string", "", "(type: " + flag.Value.Type() + ")"}
	}
	out := object{"type": row[0], "description": strings.TrimSpace(flag.Usage + " " + row[2])}
	switch row[0] {
	case "array":
		out["items"] = object{"type": row[1]}
	case "object":
		out["additionalProperties"] = object{"type": row[1]}
	}
	if row[3] != "" {
		out["pattern"] = row[3]
	}
	if value := ophisDefault(flag.DefValue, row[0], row[1]); value != nil {
		out["default"] = value
	}
	return out
}

// ophisDefault reads lists by cutting at every comma, quoted or not.
func ophisDefault(text, kind, of string) interface{} {
	if text == "" || text == "[]" {
		return nil
	}
	switch kind {
	case "string":
		return text
	case "array":
		list := []interface{}{}
		for _, part := range strings.Split(text[1:len(text)-1], ",") {
			list = append(list, ophisDefault(part, of, ""))
		}
		return list
	case "object":
		pairs := object{}
		for _, part := range strings.Split(text[1:len(text)-1], ",") {
			key, value, _ := strings.Cut(part, "=")
			pairs[key] = ophisDefault(value, of, "")
		}
		return pairs
	}
	if value, err := strconv.ParseBool(text); kind == "boolean" && err == nil {
		return value
	}
	return json.Number(text)
}
