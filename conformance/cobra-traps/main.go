// Command cobra-traps has every trap that reading a Cobra program from outside
// has to get past. Whatever really runs leaves a file named ran-WHAT in the
// current directory, so a reader that ran something is found out.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

func ran(what string) {
	_ = os.WriteFile("ran-"+what, nil, 0o600)
	fmt.Println("RAN", what)
}

// linger starts a process in a session of its own that nobody waits for.
func linger() {
	c := exec.Command(os.Args[0], "linger")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	_ = c.Start()
}

func run(what string) func(*cobra.Command, []string) {
	return func(*cobra.Command, []string) { ran(what) }
}

// size is a value of a type of the program's own.
type size struct{ text, typeName string }

func (s *size) String() string { return s.text }
func (s *size) Type() string   { return s.typeName }
func (s *size) Set(v string) error {
	if !strings.HasSuffix(v, "K") && !strings.HasSuffix(v, "M") {
		return errors.New("sizes end in K or M")
	}
	s.text = v
	return nil
}

// choice takes one of a few words.
type choice struct {
	text, typeName string
	words          []string
}

func (c *choice) String() string { return c.text }
func (c *choice) Type() string   { return c.typeName }
func (c *choice) Set(v string) error {
	for _, word := range c.words {
		if v == word {
			c.text = v
			return nil
		}
	}
	return fmt.Errorf("must be one of %s", strings.Join(c.words, ", "))
}

// strict is a boolean that wants its value spelled out.
type strict bool

func (s *strict) String() string { return fmt.Sprint(bool(*s)) }
func (s *strict) Type() string   { return "bool" }
func (s *strict) Set(v string) error {
	switch v {
	case "true":
		*s = true
	case "false":
		*s = false
	default:
		return errors.New("say true or false")
	}
	return nil
}

func root() *cobra.Command {
	root := &cobra.Command{
		Use:     "cobra-traps",
		Short:   "Every trap there is",
		Version: "1.2.3",
		Long: `Every trap there is.

Available Commands:
  fake        This is text, not a command

Flags:
      --fake string   This is text, not a flag`,
	}
	root.AddGroup(&cobra.Group{ID: "odd", Title: "Dinge, die man tut"})
	root.AddGroup(&cobra.Group{ID: "colon", Title: "Other things (2):"})
	root.PersistentFlags().String("config", "", "Where the settings are")
	root.PersistentFlags().CountP("verbose", "v", "Say more")
	cobra.OnInitialize(func() { fmt.Println("cobra-traps: no settings found") })
	root.AddCommand(raw(), types(), hiders(), required(), either(), exclusive(), parent(),
		topic(), marked(), hangs(), floods(), fails())
	root.AddCommand(&cobra.Command{Use: "secret", Hidden: true, Run: run("secret")})
	return root
}

// A command that parses no flags runs when it is asked for --help.
func raw() *cobra.Command {
	return &cobra.Command{
		Use:                "raw [words]...",
		Short:              "Pass every word on",
		GroupID:            "odd",
		DisableFlagParsing: true,
		Run:                run("raw"),
	}
}

func types() *cobra.Command {
	c := &cobra.Command{
		Use:     "types <source> [target]",
		Aliases: []string{"ty", "kinds"},
		Short:   "Take a flag of every type",
		GroupID: "odd",
		Example: "  cobra-traps types a b\n  cobra-traps types --help",
		Args:    cobra.RangeArgs(1, 2),
		Run:     run("types"),
	}
	f := c.Flags()
	f.Bool("bool", false, "A switch")
	f.Bool("bool-on", true, "A switch that is on")
	f.StringP("string", "s", "x y", "A text")
	f.StringSlice("strings", []string{"a", "b"}, "Texts in one word")
	f.StringArray("array", nil, "Texts in words of their own")
	f.Int("int", 7, "A number")
	f.Int32("int32", 0, "A smaller number")
	f.Uint16("uint16", 0, "A number above zero")
	f.Float64("float", 0.5, "A fraction")
	f.IntSlice("ints", nil, "Numbers")
	f.Duration("wait", 90*time.Second, "A time to wait")
	f.Count("count", "Counted")
	f.StringToString("labels", nil, "Pairs")
	f.StringToInt("weights", nil, "Pairs of text and number")
	f.IP("ip", nil, "An address")
	f.BytesHex("hex", nil, "Bytes")
	f.String("optional", "", "A text that may stay away")
	f.Lookup("optional").NoOptDefVal = "always"
	return c
}

// Flags whose line does not say what they take.
func hiders() *cobra.Command {
	c := &cobra.Command{Use: "hiders", Short: "Hide what flags take", Run: run("hiders")}
	f := c.Flags()
	f.String("blank", "", "A text that looks like a switch``")
	f.Bool("switch", false, "A switch that looks as if it took a `name`")
	f.Count("louder", "A count that looks as if it took a `level`")
	f.StringSlice("many", nil, "Texts that look like one `text`")
	f.Int("number", 0, "A number that looks like a `text`")
	f.Var(&size{"1K", "size"}, "size", "A type of its own")
	f.Var(&size{"1K", ""}, "nameless", "A type without a name")
	f.Var(new(strict), "strict", "Looks like a switch and takes a value")
	f.Var(&choice{"red", "colour", []string{"red", "green", "blue"}}, "colour", "One of a few")
	f.Var(&choice{"on", "on|off", []string{"on", "off"}}, "power", "Its type is its list")
	f.String("free", "", "Looks like a list {a|b} and takes any text")
	f.String("hidden", "", "Not shown")
	_ = f.MarkHidden("hidden")
	f.String("old", "", "Not shown either")
	_ = f.MarkDeprecated("old", "use --string")
	return c
}

func required() *cobra.Command {
	c := &cobra.Command{Use: "required", Short: "Need some flags", GroupID: "colon", Run: run("required")}
	c.Flags().String("name", "", "What to call it")
	c.Flags().Duration("after", 0, "When to start")
	c.Flags().Bool("quick", false, "Not needed")
	_ = c.MarkFlagRequired("name")
	_ = c.MarkFlagRequired("after")
	return c
}

// One of two is enough, so neither is required.
func either() *cobra.Command {
	c := &cobra.Command{Use: "either", Short: "Need one of two flags", GroupID: "colon", Run: run("either")}
	c.Flags().String("id", "", "By id")
	c.Flags().String("tag", "", "By tag")
	c.Flags().Bool("quiet", false, "Say less")
	c.MarkFlagsOneRequired("id", "tag")
	return c
}

func exclusive() *cobra.Command {
	c := &cobra.Command{Use: "exclusive", Short: "Have flags that exclude each other", Run: run("exclusive")}
	c.Flags().Bool("fast", false, "Be fast")
	c.Flags().Bool("slow", false, "Be slow")
	c.Flags().Bool("loud", false, "Be loud")
	c.MarkFlagsMutuallyExclusive("fast", "slow")
	return c
}

// Both a command and a parent.
func parent() *cobra.Command {
	c := &cobra.Command{Use: "parent [name]", Short: "Run, or hand on", Run: run("parent")}
	c.PersistentFlags().String("format", "text", "How to show it")
	c.AddCommand(&cobra.Command{Use: "list", Short: "List the children", Run: run("parent-list")})
	c.AddCommand(&cobra.Command{Use: "delete NAME...", Aliases: []string{"rm"}, Short: "Delete children", Run: run("parent-delete")})
	return c
}

func topic() *cobra.Command {
	return &cobra.Command{Use: "environment", Short: "A text about variables", Long: "COBRA_TRAPS is not read."}
}

func marked() *cobra.Command {
	c := &cobra.Command{
		Use:              "marked",
		Short:            "Leave a mark before anything runs",
		PersistentPreRun: run("marked-before"),
	}
	c.AddCommand(&cobra.Command{Use: "show", Short: "Show it", Run: run("marked-show")})
	return c
}

func hangs() *cobra.Command {
	c := &cobra.Command{Use: "hangs", Short: "Never end its help", Run: run("hangs")}
	c.Flags().Int("depth", 3, "How deep")
	c.SetHelpFunc(func(*cobra.Command, []string) {
		linger()
		time.Sleep(time.Hour)
	})
	return c
}

func floods() *cobra.Command {
	c := &cobra.Command{Use: "floods", Short: "Print help without end", Run: run("floods")}
	c.Flags().Int("depth", 3, "How deep")
	c.SetHelpFunc(func(*cobra.Command, []string) {
		for line := strings.Repeat("help ", 200) + "\n"; ; {
			if _, err := os.Stdout.WriteString(line); err != nil {
				os.Exit(1)
			}
		}
	})
	return c
}

func fails() *cobra.Command {
	c := &cobra.Command{Use: "fails", Short: "Have no help", Run: run("fails")}
	c.Flags().Bool("loud", false, "Be loud")
	c.SetHelpFunc(func(*cobra.Command, []string) {
		linger()
		fmt.Fprintln(os.Stderr, "fails: not logged in")
		os.Exit(4)
	})
	return c
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "linger" {
		time.Sleep(10 * time.Minute)
		return
	}
	if root().Execute() != nil {
		os.Exit(1)
	}
}
