//go:build pflag105 && !pflag107

package tree

import "github.com/spf13/pflag"

// newest adds the flag types that came after pflag 1.0.6: here none.
func (b *builder) newest(*pflag.FlagSet) {}
