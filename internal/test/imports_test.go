package test

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// rules forbid: who matches who, but not except, imports nothing that matches
// what, but not only. A package is named by its folder; main is ".". A room holds
// all the packages below it.
var rules = []struct{ says, who, except, what, only string }{
	{"main hands over to the command line", `^\.$`, `^$`, `.`, `^internal/cli$`},
	{"only main imports the command line, and what describes it", `.`, `^(\.$|(internal/test/|packaging$))`, `^internal/cli(/|$)`, `^$`},
	{"only the command line imports the program on the screen", `.`, `^internal/cli$`, `^tui$`, `^$`},
	{"packages without a screen do not know of one", `.`, `^(tui|internal/cli|internal/test)(/|$)`, `^tui(/|$)`, `^$`},
	{"the screen serves no files and runs no commands of the agent", `^tui(/|$)`, `^$`, `^internal/machine$|^terminal$`, `^$`},
	{"line mode and the screen share what is below both", `^tui/linemode$`, `^$`, `^tui/(tab|pages|dialog|screen|transcript)$`, `^$`},
	{"the painter does not know what it paints", `^tui/screen(/|$)`, `^$`, `.`, `^terminal/screen$|` + leaves},
	{"acpclient stands alone", `^acpclient(/|$)`, `^$`, `.`, `^acpclient(/|$)|` + leaves},
	{"the network carries messages of the protocol and does not know sessions", `^internal/remote(/|$)`, `^$`, `.`, `^acpclient$`},
	{"fs stands alone", `^fs(/|$)`, `^$`, `.`, leaves},
	{"terminal stands alone", `^terminal(/|$)`, `^$`, `.`, `^terminal(/|$)|` + leaves},
	{"config stands alone", `^config(/|$)`, `^$`, `.`, `^internal/policy$|` + leaves},
	{"rules do not know the protocol", `^internal/policy(/|$)`, `^$`, `.`, leaves},
	{"the rules of a session judge it and know no front end", `^internal/rules$`, `^$`, `.`, `^(acpclient|config|internal/(conversation|git|policy|prompt|session))$|` + leaves},
	{"headless knows sessions, but no machines and files", `^internal/headless$`, `^$`, `.`, `^(acpclient|internal/(app|compare|conversation|session))$|` + leaves},
	{"a client is served what a front end knows", `^internal/serve$`, `^$`, `.`, `^(acpclient(/v2)?|config|terminal/screen|internal/(app|conversation|journal|session|store))$|` + leaves},
	{"only the command line works without a screen", `.`, `^internal/cli$`, `^internal/headless$`, `^$`},
	{"what is done with sessions is drawn elsewhere", `^internal/app(/|$)`, `^$`, `^internal/(cli|headless|doctor)$|^tui(/|$)`, `^$`},
	{"the doctor knows the protocol only", `^internal/doctor(/|$)`, `^$`, `.`, `^(acpclient|internal/schema)$|` + leaves},
	{"only the command line examines agents", `.`, `^internal/cli$`, `^internal/doctor$`, `^$`},
	{"recordings know the protocol and the events of a session, and nothing that acts", `^internal/record(/|$)`, `^$`, `.`, `^(acpclient|internal/(conversation|schema))$|` + leaves},
	{"the registry knows the configuration, and no sessions", `^internal/registry$`, `^$`, `.`, `^config$|` + leaves},
	{"the sandbox stands alone", `^internal/sandbox(/|$)`, `^$`, `.`, `^$`},
	{"leaves import nothing of parley but each other", leaves, `^$`, `.`, leaves},
	{"the language of scripts stands alone", `^internal/script$`, `^$`, `.`, `^$`},
	{"the scripted peer misbehaves without parley's own code", `^internal/test/peer(/|$)`, `^$`, `.`, `^internal/(script|test/peer)$`},
	{"the product does without the tests' tools", `.`, `^internal/test(/|$)`, `^internal/test(/|$)`, `^$`},
}

// leaves are packages that everybody may import.
const leaves = `^(fs|internal/(termtext|process))(/|$)`

func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		for _, spec := range s.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if what, ours := strings.CutPrefix(name, "parley/"); ours {
				check(t, s.name, path.Dir(s.name), what)
			}
		}
	}
}

func check(t *testing.T, file, who, what string) {
	is := func(expr, name string) bool { return regexp.MustCompile(expr).MatchString(name) }
	for _, r := range rules {
		if is(r.who, who) && !is(r.except, who) && is(r.what, what) && !is(r.only, what) {
			t.Errorf("%s imports %s, but %s", file, what, r.says)
		}
	}
}
