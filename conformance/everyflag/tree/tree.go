// Package tree is one Cobra program with a flag of every pflag type, a parent
// that runs by itself, aliases, hidden things and positionals. Whatever a call
// parsed is handed to a callback instead of being acted upon.
package tree

import (
	"encoding/hex"
	"net"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Call is what Cobra made of one command line.
type Call struct {
	Command string                 `json:"command"`
	Flags   map[string]interface{} `json:"flags"`
	Args    []string               `json:"args"`
	// Where `--` stood among the arguments; -1 without one.
	Dash int `json:"dash"`
}

// values reads the variable behind each flag, by name.
type values map[string]func() interface{}

type builder struct {
	report func(Call)
	seen   values
}

// New builds the program afresh; report is called by the command that runs.
func New(report func(Call)) *cobra.Command {
	b := &builder{report: report, seen: values{}}
	root := &cobra.Command{
		Use:           "everyflag",
		Short:         "Every kind of flag there is",
		Long:          "Every kind of flag there is, to see what arrives.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	persistent := root.PersistentFlags()
	b.str(persistent, "config", "c", "", "Read settings from this `file`")
	b.str(persistent, "region", "", "eu-west", "Region to work in")
	b.boolean(persistent, "quiet", "q", false, "Say less")
	verbose := new(int)
	persistent.CountVarP(verbose, "verbose", "v", "Say more; repeat for still more")
	b.seen["verbose"] = func() interface{} { return *verbose }

	root.AddCommand(b.all(), b.parent(), b.move(), b.needs(), b.raw(), b.ghost(), b.exec())
	return root
}

func (b *builder) run(cmd *cobra.Command, args []string) {
	call := Call{
		Command: cmd.CommandPath(),
		Flags:   map[string]interface{}{},
		Args:    append([]string{}, args...),
		Dash:    cmd.ArgsLenAtDash(),
	}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if value, ok := b.seen[flag.Name]; ok {
			call.Flags[flag.Name] = value()
		}
	})
	b.report(call)
}

func (b *builder) all() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "all [word...]",
		Aliases: []string{"everything"},
		Short:   "Take every type",
		Example: "  everyflag all --int=5\n  everyflag all one two",
		Run:     b.run,
	}
	f := cmd.Flags()
	b.str(f, "string", "s", "", "A string")
	b.str(f, "string-default", "", "a \"quoted\" one", "A string that has a default")
	b.boolean(f, "bool", "b", false, "A switch")
	b.boolean(f, "bool-true", "", true, "A switch that is on")

	i := f.IntP("int", "i", 0, "An int")
	b.seen["int"] = func() interface{} { return *i }
	i8 := f.Int8("int8", 0, "An int8")
	b.seen["int8"] = func() interface{} { return *i8 }
	i16 := f.Int16("int16", 0, "An int16")
	b.seen["int16"] = func() interface{} { return *i16 }
	i32 := f.Int32("int32", -7, "An int32")
	b.seen["int32"] = func() interface{} { return *i32 }
	i64 := f.Int64("int64", 0, "An int64")
	b.seen["int64"] = func() interface{} { return *i64 }
	u := f.Uint("uint", 0, "A uint")
	b.seen["uint"] = func() interface{} { return *u }
	u8 := f.Uint8("uint8", 0, "A uint8")
	b.seen["uint8"] = func() interface{} { return *u8 }
	u16 := f.Uint16("uint16", 0, "A uint16")
	b.seen["uint16"] = func() interface{} { return *u16 }
	u32 := f.Uint32("uint32", 0, "A uint32")
	b.seen["uint32"] = func() interface{} { return *u32 }
	u64 := f.Uint64("uint64", 12, "A uint64")
	b.seen["uint64"] = func() interface{} { return *u64 }
	f32 := f.Float32("float32", 0, "A float32")
	b.seen["float32"] = func() interface{} { return float(float64(*f32), 32) }
	f64 := f.Float64("float64", 1.5, "A float64")
	b.seen["float64"] = func() interface{} { return float(*f64, 64) }
	d := f.DurationP("duration", "d", 5*time.Minute, "A duration")
	b.seen["duration"] = func() interface{} { return int64(*d) }
	count := f.CountP("count", "n", "A count")
	b.seen["count"] = func() interface{} { return *count }

	ip := f.IP("ip", nil, "An address")
	b.seen["ip"] = func() interface{} { return address(*ip) }
	mask := f.IPMask("ip-mask", nil, "A mask")
	b.seen["ip-mask"] = func() interface{} { return hex.EncodeToString(*mask) }
	network := f.IPNet("ip-net", net.IPNet{}, "A network")
	b.seen["ip-net"] = func() interface{} { return networkOf(*network) }
	bytesHex := f.BytesHex("hex", nil, "Bytes in hex")
	b.seen["hex"] = func() interface{} { return hex.EncodeToString(*bytesHex) }
	bytes64 := f.BytesBase64("base64", nil, "Bytes in base64")
	b.seen["base64"] = func() interface{} { return hex.EncodeToString(*bytes64) }

	slice := f.StringSlice("string-slice", nil, "Strings, CSV")
	b.seen["string-slice"] = func() interface{} { return *slice }
	sliceDefault := f.StringSlice("string-slice-default", []string{"a", "b,c"}, "Strings with a default")
	b.seen["string-slice-default"] = func() interface{} { return *sliceDefault }
	array := f.StringArray("string-array", nil, "Strings, repeated")
	b.seen["string-array"] = func() interface{} { return *array }
	ints := f.IntSlice("int-slice", []int{1, 2}, "Ints")
	b.seen["int-slice"] = func() interface{} { return *ints }
	uints := f.UintSlice("uint-slice", nil, "Uints")
	b.seen["uint-slice"] = func() interface{} { return *uints }
	bools := f.BoolSlice("bool-slice", nil, "Bools")
	b.seen["bool-slice"] = func() interface{} { return *bools }
	durations := f.DurationSlice("duration-slice", nil, "Durations")
	b.seen["duration-slice"] = func() interface{} {
		out := []int64{}
		for _, d := range *durations {
			out = append(out, int64(d))
		}
		return out
	}
	ips := f.IPSlice("ip-slice", nil, "Addresses")
	b.seen["ip-slice"] = func() interface{} {
		out := []string{}
		for _, ip := range *ips {
			out = append(out, address(ip))
		}
		return out
	}
	toString := f.StringToString("string-to-string", nil, "Pairs")
	b.seen["string-to-string"] = func() interface{} { return *toString }
	toInt := f.StringToInt("string-to-int", map[string]int{"a": 1}, "Pairs of ints")
	b.seen["string-to-int"] = func() interface{} { return *toInt }

	b.str(f, "optional", "", "", "A string whose value may be left out")
	f.Lookup("optional").NoOptDefVal = "auto"
	b.newer(f)

	b.str(f, "unseen", "", "", "A hidden flag")
	_ = f.MarkHidden("unseen")
	b.str(f, "old", "", "", "A deprecated flag")
	_ = f.MarkDeprecated("old", "use --string")
	return cmd
}

func (b *builder) parent() *cobra.Command {
	parent := &cobra.Command{
		Use:   "parent [name...]",
		Short: "Run by itself, and have children",
		Args:  cobra.ArbitraryArgs,
		Run:   b.run,
	}
	b.boolean(parent.Flags(), "force", "f", false, "Do it anyway")
	parent.AddCommand(
		&cobra.Command{Use: "secret [name...]", Aliases: []string{"hush"}, Short: "Not for everybody", Run: b.run},
		&cobra.Command{Use: "list", Short: "List them", Run: b.run},
	)
	return parent
}

func (b *builder) move() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "move <source> [dest] [more...]",
		Short: "Take positionals",
		Args:  cobra.MinimumNArgs(1),
		Run:   b.run,
	}
	b.str(cmd.Flags(), "source", "", "", "A flag with a positional's name")
	b.boolean(cmd.Flags(), "dry-run", "", false, "Only say what would be done")
	return cmd
}

func (b *builder) needs() *cobra.Command {
	cmd := &cobra.Command{Use: "needs", Long: "Needs a flag, and says so at length.", Run: b.run}
	b.str(cmd.Flags(), "name", "", "", "Its name")
	_ = cmd.MarkFlagRequired("name")
	return cmd
}

func (b *builder) raw() *cobra.Command {
	return &cobra.Command{
		Use:                "raw [word...]",
		Short:              "Pass every word on",
		DisableFlagParsing: true,
		Run:                b.run,
	}
}

func (b *builder) ghost() *cobra.Command {
	return &cobra.Command{Use: "ghost", Short: "Be hidden", Hidden: true, Run: b.run}
}

func (b *builder) exec() *cobra.Command {
	return &cobra.Command{
		Use:   "exec TARGET -- COMMAND [args...]",
		Short: "Look where the dashes stand",
		Args:  cobra.MinimumNArgs(1),
		Run:   b.run,
	}
}

func (b *builder) str(f *pflag.FlagSet, name, short, value, usage string) {
	p := f.StringP(name, short, value, usage)
	b.seen[name] = func() interface{} { return *p }
}

func (b *builder) boolean(f *pflag.FlagSet, name, short string, value bool, usage string) {
	p := f.BoolP(name, short, value, usage)
	b.seen[name] = func() interface{} { return *p }
}

// float writes digits, because readers of JSON round numbers.
func float(number float64, bits int) string {
	return strconv.FormatFloat(number, 'g', -1, bits)
}

func address(ip net.IP) string {
	return hex.EncodeToString(ip.To16())
}

func networkOf(n net.IPNet) []interface{} {
	ones, bits := n.Mask.Size()
	return []interface{}{address(n.IP), ones, bits}
}
