package policy

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Kind is the kind of action that a rule matches.
type Kind string

// The kinds of rules.
const (
	Read    Kind = "read"
	Edit    Kind = "edit"
	Delete  Kind = "delete"
	Move    Kind = "move"
	Search  Kind = "search"
	Execute Kind = "execute"
	Fetch   Kind = "fetch"
	MCP     Kind = "mcp"
	Other   Kind = "other"
)

// Kinds that no rule matches.
const (
	switchMode Kind = "switch_mode"
	question   Kind = "question" // to the user, sent as a permission
)

// kindRow is a kind of rule, with everything about it. A kind whose row is here is parsed,
// matched, proposed and listed.
type kindRow struct {
	kind Kind
	// tool is the protocol's kind of the tools that it covers, "" if others decide.
	tool string
	// changes means that the tools change the files that they name.
	changes bool
	subject *subject
}

var kindRows []kindRow

// The functions of the rows look rows up, which Go refuses in the declaration.
func init() {
	kindRows = []kindRow{
		{kind: Read, tool: "read", subject: files},
		{kind: Edit, tool: "edit", changes: true, subject: files},
		{kind: Delete, tool: "delete", changes: true, subject: files},
		{kind: Move, tool: "move", changes: true, subject: files},
		{kind: Search, tool: "search", subject: files},
		{kind: Execute, tool: "execute", subject: commands},
		{kind: Fetch, tool: "fetch", subject: hosts},
		{kind: MCP, subject: mcpTools},
		{kind: Other, subject: unknownTools}, // every other kind of tool
	}
}

// rowOf returns the row of a kind, nil if no rule can have it.
func rowOf(k Kind) *kindRow {
	for i := range kindRows {
		if kindRows[i].kind == k {
			return &kindRows[i]
		}
	}
	return nil
}

// kindOfTool returns the kind of the rules about a tool of a kind of the protocol.
func kindOfTool(tool string) Kind {
	for _, row := range kindRows {
		if row.tool == tool && tool != "" {
			return row.kind
		}
	}
	return Other
}

// subject is what the rules of a kind are about, and how their patterns match it.
type subject struct {
	// pattern describes the pattern for the guide, "" if the kind takes none.
	pattern string
	// narrow is an example of a rule, if rules must not allow the whole kind.
	narrow string
	// check refuses patterns that cannot match, or match something else than they seem to.
	check func(pattern string) error
	// about says whether a rule is about a request, for rules that deny or ask also about one of
	// another kind; nil if a rule has no pattern.
	about func(r *compiled, q *judged) answer
	// doubt is why the user is asked if it may be.
	doubt string
	// permits decides by rules that allow. If it is nil, rules only ask and deny.
	permits func(allowing []*compiled, q Request) Decision
	// proposes returns the patterns of rules that would allow a request, the narrowest
	// proposal first.
	proposes func(q Request) [][]string
	// missing says what the agent left out of a request, "" if nothing; nil if nothing
	// can be missing.
	missing func(q Request) string
	// call returns a tool call about something, in the form of patterns.
	call func(k Kind, what string) Call
}

var files = &subject{
	pattern: "files or folders, relative to the session's directory",
	check:   checkPath,
	about: func(r *compiled, q *judged) answer {
		found := no
		if r.Pattern != "" {
			found = r.usedBy(q)
		}
		switch {
		case r.Kind == q.Kind, r.Kind == Read && q.Kind == Search && r.Pattern != "": // a search reads files
			found = max(found, r.ofPaths(q, q.Paths))
			if slices.ContainsFunc(q.Named, r.matchesPath) {
				found = yes
			}
		case r.Kind == Edit && len(q.Changes) > 0 && (r.Pattern == "" || slices.ContainsFunc(q.Changes, r.matchesPath)):
			found = yes
		}
		return found
	},
	doubt: "it may use a file that the rule names",
	permits: func(allowing []*compiled, q Request) Decision {
		return permitted(q.Paths, "the agent names no file", func(p Path) (*Rule, string) { return allowsPath(allowing, p) })
	},
	proposes: pathPatterns,
	call:     func(k Kind, what string) Call { return Call{Kind: rowOf(k).tool, Paths: []string{what}} },
}

var commands = &subject{
	pattern: "the words of a command; `*` is one word, at the end any number",
	narrow:  "execute(go test *)",
	check: func(pattern string) error {
		_, err := patternWords(pattern)
		return err
	},
	about: func(r *compiled, q *judged) answer {
		switch {
		case r.Pattern != "":
			return r.ran(q)
		case len(q.programs) > 0:
			return yes
		}
		return no
	},
	doubt:   "the command may run what the rule names",
	permits: permittedCommand,
	proposes: func(q Request) [][]string {
		exact, broad := commandPatterns(q)
		return [][]string{exact, broad}
	},
	missing: func(q Request) string {
		if q.Command == "" && len(q.Args) == 0 {
			return "the agent does not say which command it would run"
		}
		return ""
	},
	call: callWith("command"),
}

var hosts = &subject{
	pattern: "a host; `*.example.com` for its subdomains",
	narrow:  "fetch(example.com)",
	check: func(pattern string) error {
		if strings.ContainsAny(pattern, "/: ") || strings.Contains(strings.TrimPrefix(pattern, "*."), "*") {
			return fmt.Errorf("%q is not a host: write example.com, or *.example.com for those below it", pattern)
		}
		return nil
	},
	about: func(r *compiled, q *judged) answer {
		return sure(r.Kind == q.Kind && matchHost(r.Pattern, q.URL, r.Verdict != Allow))
	},
	permits: permittedWhole,
	proposes: func(q Request) [][]string {
		u, err := url.Parse(q.URL)
		if err != nil {
			return nil
		}
		return [][]string{{strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")}}
	},
	missing: func(q Request) string {
		if q.URL == "" {
			return "the agent does not say which address it would fetch"
		}
		return ""
	},
	call: callWith("url"),
}

var mcpTools = &subject{
	pattern: "a tool of an MCP server: `server__tool`",
	narrow:  "mcp(server__tool)",
	check: func(pattern string) error {
		if !doublestar.ValidatePattern(pattern) {
			return fmt.Errorf("%q is not a pattern", pattern)
		}
		return nil
	},
	about: func(r *compiled, q *judged) answer {
		ok, _ := doublestar.Match(r.Pattern, q.Tool)
		return sure(q.Tool != "" && (ok || r.Pattern == ""))
	},
	permits: permittedWhole,
	proposes: func(q Request) [][]string {
		out := [][]string{{LiteralPattern(q.Tool)}}
		if server, _, ok := strings.Cut(q.Tool, "__"); ok {
			out = append(out, []string{LiteralPattern(server) + "__*"})
		}
		return out
	},
	call: func(_ Kind, what string) Call {
		return Call{Kind: "other", Name: "mcp__" + strings.TrimPrefix(what, "mcp__")}
	},
}

var unknownTools = &subject{
	missing: func(Request) string { return "it is unclear what the tool would do" },
	call:    func(k Kind, _ string) Call { return Call{Kind: cmp.Or(rowOf(k).tool, "other")} },
}

// callWith returns a function that returns calls with one key in their input.
func callWith(key string) func(Kind, string) Call {
	return func(k Kind, what string) Call {
		input, _ := json.Marshal(map[string]string{key: what}) // strings can be encoded
		return Call{Kind: rowOf(k).tool, RawInput: input}
	}
}

// sure is the answer to what is known.
func sure(is bool) answer {
	if is {
		return yes
	}
	return no
}

// permittedWhole allows a request that a rule matches as a whole.
func permittedWhole(allowing []*compiled, q Request) Decision {
	for _, rule := range allowing {
		if rule.about(&judged{Request: q}) == yes {
			return Decision{Verdict: Allow, Rule: &rule.Rule}
		}
	}
	return Decision{Verdict: Ask}
}

// pathPatterns returns patterns for exactly the files of a request, for their directories,
// and for everything if the request changes nothing.
func pathPatterns(q Request) [][]string {
	var names, dirs []string
	for _, p := range q.Paths {
		names = append(names, LiteralPattern(p.Name))
		if dir := path.Dir(p.Name); dir != "." && dir != "/" {
			dirs = append(dirs, LiteralPattern(dir)+"/**")
		}
	}
	out := [][]string{names}
	if len(dirs) == len(names) {
		out = append(out, dirs)
	}
	if !rowOf(q.Kind).changes {
		out = append(out, []string{""})
	}
	return out
}

func checkPath(pattern string) error {
	if !doublestar.ValidatePattern(pattern) {
		return fmt.Errorf("%q is not a pattern: ** stands for any folders, * for anything in a name", pattern)
	}
	if strings.HasPrefix(pattern, "~") || pattern == ".." || strings.HasPrefix(pattern, "../") || path.Clean(pattern) != strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/") {
		return errors.New("write the path relative to the session's directory, without . and .. in it, or absolute")
	}
	return nil
}

// UnknownKindError is the error of a rule with an unknown kind.
type UnknownKindError struct{ Kind string }

func (e *UnknownKindError) Error() string {
	return fmt.Sprintf("unknown kind %q: use one of %s", e.Kind, strings.Join(Kinds(), ", "))
}

// Kinds returns the names of all kinds that a rule can have.
func Kinds() []string {
	names := make([]string, len(kindRows))
	for i, row := range kindRows {
		names[i] = string(row.kind)
	}
	return names
}

// CallOf returns a call that rules of a kind are about, as an agent would send it: for a
// path, a command, a URL or the name of a tool.
func CallOf(kind, what string) (Call, error) {
	row := rowOf(Kind(kind))
	if row == nil {
		return Call{}, &UnknownKindError{Kind: kind}
	}
	return row.subject.call(row.kind, what), nil
}
