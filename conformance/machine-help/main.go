// A Cobra program that describes itself: `help --machine` prints its commands as JSON,
// schema version 1.2, as some programs of Kubernetes do. What really runs prints its
// words, so that a call can be told from a page.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type document struct {
	Version     string    `json:"version"`
	CLIVersion  string    `json:"cli_version"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Commands    []command `json:"commands"`
	GlobalFlags []flag    `json:"global_flags"`
}

type command struct {
	Name        string       `json:"name"`
	Path        []string     `json:"path"`
	PathString  string       `json:"path_string"`
	Description string       `json:"description"`
	Long        string       `json:"long_description,omitempty"`
	Usage       string       `json:"usage"`
	Aliases     []string     `json:"aliases,omitempty"`
	Category    string       `json:"category"`
	Runnable    bool         `json:"runnable"`
	Flags       []flag       `json:"flags"`
	Positionals []positional `json:"positional_args,omitempty"`
	Examples    []example    `json:"examples,omitempty"`
}

type flag struct {
	Name        string   `json:"name"`
	Shorthand   string   `json:"shorthand,omitempty"`
	Type        string   `json:"type"`
	Default     any      `json:"default,omitempty"`
	Description string   `json:"description"`
	Required    bool     `json:"required"`
	Enum        []string `json:"enum,omitempty"`
	Hidden      bool     `json:"hidden,omitempty"`
	Providers   []string `json:"providers,omitempty"`
}

type positional struct {
	Name     string `json:"name"`
	Required bool   `json:"required"`
	Variadic bool   `json:"variadic,omitempty"`
}

type example struct {
	Description string `json:"description"`
	Command     string `json:"command"`
}

// choice is a flag whose parser does not say what it takes: only the description does.
type choice struct {
	value  string
	values []string
}

func (c *choice) String() string     { return c.value }
func (c *choice) Set(s string) error { c.value = s; return nil }
func (c *choice) Type() string       { return "string" }

var categories = map[string]string{
	"get": "read", "describe": "read", "create": "write", "delete": "write",
}

func category(path []string) string {
	if len(path) > 0 {
		if found, ok := categories[path[0]]; ok {
			return found
		}
	}
	return "admin"
}

func describeFlag(f *pflag.Flag) flag {
	said := flag{
		Name: f.Name, Shorthand: f.Shorthand, Type: f.Value.Type(), Description: f.Usage,
		Hidden: f.Hidden,
	}
	switch {
	case f.Value.Type() == "bool":
		said.Default = f.DefValue == "true"
	case f.DefValue == "[]":
		said.Default = []string{}
	case f.DefValue != "":
		said.Default = f.DefValue
	}
	if _, required := f.Annotations[cobra.BashCompOneRequiredFlag]; required {
		said.Required = true
	}
	if closed, ok := f.Value.(*choice); ok {
		said.Enum = closed.values
	}
	if f.Name == "zone" {
		said.Providers = []string{"cloud", "edge"}
	}
	return said
}

func describe(c *cobra.Command, path []string, all *[]command) {
	said := command{
		Name: c.Name(), Path: path, PathString: strings.Join(path, " "), Description: c.Short,
		Long: c.Long, Usage: c.UseLine(), Aliases: c.Aliases, Category: category(path),
		Runnable: c.Runnable(), Flags: []flag{},
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && c.InheritedFlags().Lookup(f.Name) == nil {
			said.Flags = append(said.Flags, describeFlag(f))
		}
	})
	for _, word := range strings.Fields(c.Use)[1:] {
		name := strings.Trim(strings.TrimSuffix(word, "..."), "[]")
		if name == strings.ToUpper(name) {
			said.Positionals = append(said.Positionals, positional{
				name, !strings.HasPrefix(word, "["), strings.HasSuffix(word, "..."),
			})
		}
	}
	about := ""
	for _, line := range strings.Split(c.Example, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
			about = strings.TrimSpace(line[1:])
		case line != "":
			said.Examples = append(said.Examples, example{about, line})
			about = ""
		}
	}
	*all = append(*all, said)
	for _, child := range c.Commands() {
		if !child.Hidden && child.Name() != "completion" {
			describe(child, append(append([]string{}, path...), child.Name()), all)
		}
	}
}

func ran(c *cobra.Command, words []string) {
	said := []string{strings.TrimPrefix(c.CommandPath(), "machine-help ")}
	c.Flags().Visit(func(f *pflag.Flag) { said = append(said, f.Name+"="+f.Value.String()) })
	fmt.Println(strings.Join(append(said, words...), " "))
}

func main() {
	root := &cobra.Command{Use: "machine-help", Short: "Plans and machines"}
	root.PersistentFlags().StringP("namespace", "n", "", "Where to look")
	root.PersistentFlags().Bool("cached", true, "Take what is known")

	get := &cobra.Command{Use: "get", Short: "Show things"}
	get.PersistentFlags().VarP(&choice{"table", []string{"table", "json", "yaml"}}, "output", "o", "How it is shown")
	plan := &cobra.Command{
		Use: "plan [NAME]", Short: "Show plans", Aliases: []string{"plans"}, Run: ran,
		Long:    "Show one plan, or all of a namespace.",
		Example: "  # All of them\n  machine-help get plan\n\n  machine-help get plan one -o json",
	}
	plan.Flags().Bool("watch", false, "Go on showing")
	plan.Flags().StringSlice("label", nil, "Only with these labels")
	plan.Flags().Int("zone", 3, "Which zone")
	get.AddCommand(plan)

	create := &cobra.Command{Use: "create", Short: "Make things"}
	machine := &cobra.Command{Use: "machine NAME [DISK...]", Short: "Make a machine", Run: ran}
	machine.Flags().String("source", "", "Where it comes from")
	machine.Flags().Duration("wait", 0, "How long to wait")
	machine.Flags().Bool("dry", false, "Only look")
	machine.Flags().Bool("live", false, "While it runs")
	_ = machine.MarkFlagRequired("source")
	machine.MarkFlagsMutuallyExclusive("dry", "live")
	create.AddCommand(machine)

	remove := &cobra.Command{Use: "delete NAME...", Short: "Remove plans", Run: ran}
	settings := &cobra.Command{Use: "settings", Short: "Show or change settings", Run: ran}
	root.AddCommand(get, create, remove, settings)

	machineReadable := false
	help := &cobra.Command{
		Use: "help [command]", Short: "Help about any command",
		Run: func(c *cobra.Command, words []string) {
			if !machineReadable {
				found, _, err := root.Find(words)
				if err != nil || found == nil {
					found = root
				}
				_ = found.Help()
				return
			}
			document := document{
				Version: "1.2", CLIVersion: "v0.3.1", Name: "machine-help", Description: root.Short,
				Commands: []command{}, GlobalFlags: []flag{},
			}
			for _, child := range root.Commands() {
				if child.Name() != "completion" {
					describe(child, []string{child.Name()}, &document.Commands)
				}
			}
			root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
				document.GlobalFlags = append(document.GlobalFlags, describeFlag(f))
			})
			printer := json.NewEncoder(os.Stdout)
			printer.SetIndent("", "  ")
			_ = printer.Encode(document)
		},
	}
	help.Flags().BoolVar(&machineReadable, "machine", false, "Print all commands as JSON")
	root.SetHelpCommand(help)
	if root.Execute() != nil {
		os.Exit(1)
	}
}
