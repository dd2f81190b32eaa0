//go:build pflag107

package tree

import (
	"time"

	"github.com/spf13/pflag"
)

// newest adds the flag types that came after pflag 1.0.6.
func (b *builder) newest(f *pflag.FlagSet) {
	nets := f.IPNetSlice("ip-net-slice", nil, "Networks")
	b.seen["ip-net-slice"] = func() interface{} {
		out := []interface{}{}
		for _, n := range *nets {
			out = append(out, networkOf(n))
		}
		return out
	}
	at := f.Time("time", time.Time{}, []string{time.RFC3339, time.DateOnly}, "A point in time")
	b.seen["time"] = func() interface{} { return at.UTC().Format(time.RFC3339) }
}
