package cli

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"parley/tui"
)

// sayHowToGoOn says how each session is opened again that was left open, a line each.
func (o *startOptions) sayHowToGoOn(left []tui.LeftTab) {
	for i, l := range left {
		what := "this session"
		if i > 0 {
			what = strconv.Quote(l.Title)
		}
		if how := o.resumeCommand(l); how != "" {
			fmt.Fprintf(o.streams.Err, "To go on with %s: %s\n", what, how)
		}
	}
}

// resumeCommand is the command line that opens the session again that the person
// has left, "" if there is none.
func (o *startOptions) resumeCommand(left tui.LeftTab) string {
	named := left.Agent.Source != "" // else a command line has it, which may be an earlier one
	another := !named && !slices.Equal(left.Agent.Words(), o.words())
	if left.Stored != "" && (left.Session == "" || left.Cwd != o.cwd || another) {
		return "parley --resume=" + string(left.Stored)
	}
	if left.Session == "" || another || left.Agent.ID == tourID { // the tour's project is gone
		return ""
	}
	session, err := syntax.Quote(string(left.Session), syntax.LangPOSIX)
	if err != nil {
		return "" // no person could type it
	}
	var args []string
	if here, err := os.Getwd(); err != nil || here != o.cwd {
		args = append(args, "--cwd", o.cwd)
	}
	switch {
	case named:
		args = append(args, "-a", left.Agent.ID)
	case o.connect != "":
		args = append(args, o.connectShown()...)
	default:
		args = append(append(args, "--"), o.command...)
	}
	return commandLine("parley --resume="+session, args...)
}

// commandLine is a command as a person types it into a shell: the arguments are
// quoted where they must be, the beginning is taken as it is. It is "" if an
// argument is nothing that a person could type.
func commandLine(beginning string, args ...string) string {
	words := []string{beginning}
	for _, a := range args {
		quoted, err := syntax.Quote(a, syntax.LangPOSIX)
		if err != nil {
			return ""
		}
		words = append(words, quoted)
	}
	return strings.Join(words, " ")
}
