// everyflag prints what Cobra parsed, as JSON. It is the second reader of
// argway's command lines.
//
// Called like any program it prints one call. With EVERYFLAG=batch it reads
// questions from stdin, one JSON object a line, and answers each with a line;
// with EVERYFLAG=values it says of candidate texts whether Go's parsers take
// them; with EVERYFLAG=describe it prints argway's description of itself, with
// EVERYFLAG=ophis the tools that ophis' documented rules make of it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"argway.test/everyflag/tree"
	"github.com/spf13/cobra"
)

type question struct {
	Words []string `json:"words"`
	// Parse parents' flags first, as docker does.
	Traverse bool `json:"traverse"`
	// Take beginnings of names for commands, and names in any case.
	Lenient bool `json:"lenient"`
}

type answer struct {
	Call  *tree.Call `json:"call,omitempty"`
	Error string     `json:"error,omitempty"`
}

func ask(q question) (out answer) {
	root := tree.New(func(call tree.Call) { out.Call = &call })
	root.TraverseChildren = q.Traverse
	cobra.EnablePrefixMatching = q.Lenient
	foldCase(q.Lenient)
	root.SetArgs(q.Words)
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	if err := root.Execute(); err != nil {
		out.Error = err.Error()
	}
	return out
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "everyflag:", err)
		os.Exit(1)
	}
}

func run() error {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	print := json.NewEncoder(out)
	print.SetEscapeHTML(false)
	switch os.Getenv("EVERYFLAG") {
	case "describe":
		return print.Encode(tree.Describe(tree.New(nil)))
	case "ophis":
		return print.Encode(tree.Ophis(tree.New(nil)))
	case "values":
		return lines(func(line []byte) error {
			var c candidate
			if err := json.Unmarshal(line, &c); err != nil {
				return err
			}
			return print.Encode(c.isRead())
		})
	case "batch":
		return lines(func(line []byte) error {
			var q question
			if err := json.Unmarshal(line, &q); err != nil {
				return err
			}
			return print.Encode(ask(q))
		})
	}
	var failed error
	root := tree.New(func(call tree.Call) { failed = print.Encode(call) })
	if err := root.Execute(); err != nil {
		return err
	}
	return failed
}

func lines(each func([]byte) error) error {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			if err := each(line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
