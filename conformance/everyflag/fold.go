//go:build pflag107

package main

import "github.com/spf13/cobra"

// foldCase lets names match in any case.
func foldCase(on bool) { cobra.EnableCaseInsensitive = on }
