//go:build !pflag105

package tree

import "github.com/spf13/pflag"

// newer adds the flag types that came after pflag 1.0.3: here none.
func (b *builder) newer(*pflag.FlagSet) {}
