//go:build !pflag107

package main

// foldCase would let names match in any case; this Cobra cannot.
func foldCase(bool) {}
