package policy

import (
	"net/url"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/net/idna"
)

// Request is what an agent wants to do, as far as that is certain.
type Request struct {
	// Agent is the configured name of the agent, Mode the id of its mode.
	Agent, Mode string
	Kind        Kind
	// Paths are all files that would be touched.
	Paths []Path
	// Command is a shell command, Args a program with its arguments. At most one of
	// them is set.
	Command string
	Args    []string
	// Dir is the directory in which the command runs, as the agent wrote it; "" is that
	// of the session.
	Dir string
	// Resolve returns where a path leads that is written relative to the session's
	// directory. If it is nil, no path is inside the session's directories.
	Resolve func(path string) Path
	// Search looks through a folder, which is written as for Resolve, and returns a file
	// that a program would read and that is sensitive or, if about is not nil, that it reports
	// true for; "" if there is none. ok is false if there are too many files to tell. If Search
	// is nil, no folder is known to be without such a file.
	Search func(dir string, how SearchMode, about func(Path) bool) (found string, ok bool)
	// Tracked looks for such a file among those that git may print. ok is false if that cannot
	// be told. If Tracked is nil, it never can.
	Tracked func(what Printed, about func(Path) bool) (found string, ok bool)
	// Others are further commands that the agent names, also in the title. Rules that deny
	// or ask match them too; no rule allows them.
	Others []Request
	// Changes are the paths of the diffs, for rules that deny or ask.
	Changes []Path
	// Named are files that only the title names, for rules that deny or ask.
	Named []Path
	// marked has unknown text marked in the words of the command.
	marked bool
	// URL is the address that would be fetched, Tool the name of an MCP server's tool.
	// If the tool's input is a command, Kind is Execute, and only rules that deny or ask
	// match the name.
	URL  string
	Tool string
	// Unclear, if not empty, says why it is uncertain what would be done. No rule ever
	// allows such a request.
	Unclear string
}

// Path is a file that would be touched.
type Path struct {
	// Name is where the path leads, links followed, with slashes: relative to the
	// session's directory if it is inside, else absolute.
	Name string
	// Written is the path as the agent wrote it, in the same form; "" if it equals
	// Name. Only rules that deny or ask match it.
	Written string
	// Original is what Name is where a session in a worktree stands for one in a folder of the
	// working tree: relative to that folder; "" if it is the same. Only rules that deny or ask
	// match it.
	Original string
	// Inside means that it is inside the roots, links followed.
	Inside bool
	// Exists means that there is a file or folder.
	Exists bool
	// Folder means that it is a folder, Special that it is neither a folder nor a regular
	// file: reading it may take forever. Content means that it is a file whose content
	// would be missed: one that is not empty, and not written by a compiler or a test.
	Folder, Special, Content bool
	// Above means that it is a folder that the session's directory is in.
	Above bool
	// Secret and Runs are the patterns of SensitiveFiles that match it for Reading and
	// for Writing, "" if none does. Own means that it belongs to parley.
	Secret, Runs string
	Own          bool
}

// Printed says what git prints the contents of. The paths are relative to the session's
// directory.
type Printed struct {
	// Words are revisions or, if they are none, paths; Paths are paths. No path means all
	// files.
	Words, Paths []string
	// Index means the files of the working tree that git knows. History means every commit
	// that the revisions reach, All that of every branch and tag; otherwise it is the
	// commits themselves.
	Index, History, All bool
	// Renames means that files count under their former names too.
	Renames bool
}

// SearchMode says which files of a folder a program reads.
type SearchMode uint8

// The modes.
const (
	// SearchVisible leaves out hidden files and folders, except for those that a file such
	// as .gitignore or .ignore excepts: as rg does.
	SearchVisible SearchMode = iota
	// SearchAdded leaves out files that git ignores, and folders named .git: as git add does.
	SearchAdded
	// SearchAll leaves out nothing.
	SearchAll
)

// Decision is the result of the rules for a request.
type Decision struct {
	Verdict Verdict
	// Rule is the rule that decided, nil if none matches. For an allowed command of
	// several parts it is the rule of the first.
	Rule *Rule
	// Why says why the user is asked although a rule seems to allow the request.
	Why string
}

// Decide judges a request by rules.
func Decide(rules []Rule, r Request) Decision {
	if r.Kind == switchMode || r.Kind == question {
		return Decision{Verdict: Ask, Why: r.Unclear}
	}
	strictest := Violated(rules, r)
	var allowing []Rule
	for _, rule := range rules {
		if rule.Verdict == Allow && rule.applies(r) && rule.concerns(r) {
			allowing = append(allowing, rule)
		}
	}
	switch {
	case strictest.Rule != nil:
		return strictest
	case len(allowing) == 0:
		return Decision{Verdict: Ask}
	case r.Unclear != "":
		return Decision{Verdict: Ask, Why: r.Unclear}
	}
	for _, p := range r.Paths {
		if !p.Inside {
			return Decision{Verdict: Ask, Why: p.Name + " is outside the session's directories"}
		}
	}
	d := Decision{Verdict: Ask}
	if row := rowOf(r.Kind); row != nil && row.subject.permits != nil {
		d = row.subject.permits(allowing, r)
	}
	if d.Verdict == Allow {
		if doubt := doubted(rules, r); doubt.Rule != nil {
			return doubt
		}
	}
	return d
}

// mayTouch reports whether a rule that denies or asks may be about a request.
func (r *Rule) mayTouch(q Request) bool {
	may := rowOf(r.Kind).subject.may
	return r.Pattern != "" && may != nil && may(r, q)
}

// Restrict judges what an agent does or has parley do without a permission: only rules that
// deny or ask count. The zero Decision means that none is about it. Where a rule may be
// about what is known only when a command runs, the verdict is Ask.
func Restrict(rules []Rule, r Request) Decision {
	if strictest := Violated(rules, r); strictest.Rule != nil {
		return strictest
	}
	return doubted(rules, r)
}

// Violated judges what an agent has done: only rules that deny or ask count, and only where it
// is certain that they are about it.
func Violated(rules []Rule, r Request) (strictest Decision) {
	for _, rule := range rules {
		if rule.Verdict > Allow && rule.applies(r) && rule.concerns(r) && rule.Verdict > strictest.Verdict && rule.touches(r) {
			strictest = Decision{Verdict: rule.Verdict, Rule: &rule}
		}
	}
	return strictest
}

// doubted asks about a request that a rule that denies or asks may be about.
func doubted(rules []Rule, r Request) Decision {
	for _, rule := range rules {
		if rule.Verdict > Allow && rule.applies(r) && rule.concerns(r) && rule.mayTouch(r) {
			return Decision{Verdict: Ask, Rule: &rule, Why: rowOf(rule.Kind).subject.doubt}
		}
	}
	return Decision{}
}

// runs reports whether a request has a command.
func (q Request) runs() bool { return len(q.Others) > 0 || q.Command != "" || q.Args != nil }

// Subject returns the commands, files, addresses and tools of a request in one form: two
// calls with the same subject do the same.
func (q Request) Subject() string {
	var all []string
	for _, r := range append([]Request{q}, q.Others...) {
		for _, p := range r.parts() {
			all = append(all, "run "+strings.Join(p.words, "\x00"))
		}
	}
	for _, p := range slices.Concat(q.Paths, q.Named) {
		all = append(all, "file "+p.Name)
	}
	for _, name := range []string{q.URL, q.Tool} {
		if name != "" {
			all = append(all, "use "+name)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "\n")
}

// applies reports whether a rule is about the agent and the mode of a request.
func (r *Rule) applies(q Request) bool {
	return (r.Agent == "" || r.Agent == q.Agent) && (r.Mode == "" || r.Mode == q.Mode)
}

// concerns reports whether a rule is about the kind of a request. Rules that deny or ask
// are also about a tool's name, and the commands and changes in its input, for every kind.
func (r *Rule) concerns(q Request) bool {
	switch {
	case r.Kind == q.Kind:
		return true
	case r.Verdict == Allow:
		return false
	}
	row := rowOf(r.Kind)
	return row != nil && row.subject.within != nil && row.subject.within(r, q)
}

// permittedPaths allows a request that only touches allowed paths.
func permittedPaths(rules []Rule, r Request) Decision {
	if len(r.Paths) == 0 {
		return Decision{Verdict: Ask, Why: "the agent names no file"}
	}
	var first *Rule
	for _, p := range r.Paths {
		rule, why := allowsPath(rules, p)
		if rule == nil {
			return Decision{Verdict: Ask, Why: why}
		}
		if first == nil {
			first = rule
		}
	}
	return Decision{Verdict: Allow, Rule: first}
}

// allowsPath finds a rule that allows a path. A rule must name a sensitive path exactly;
// a pattern that happens to match does not count.
func allowsPath(rules []Rule, p Path) (rule *Rule, why string) {
	if p.Own {
		return nil, p.Name + " belongs to parley"
	}
	named := LiteralPattern(p.Name)
	for i := range rules {
		pattern := rules[i].Pattern
		sensitive := p.Secret != "" || p.Runs != "" && rowOf(rules[i].Kind).changes
		switch {
		case pattern != "" && !matchPath(pattern, p.Name):
		case sensitive && pattern != named:
			why = p.Name + " is sensitive: only a rule that names it can allow it"
		default:
			return &rules[i], ""
		}
	}
	return nil, why
}

// touches reports whether a rule matches a request or a part of it.
func (r *Rule) touches(q Request) bool {
	return r.Pattern == "" || rowOf(r.Kind).subject.matches(r, q)
}

// Futile returns the reason why a rule can never allow anything, or "".
func (r Rule) Futile() string {
	words, err := patternWords(r.Pattern)
	star := slices.Index(words, "*")
	if r.Verdict != Allow || r.Kind != Execute || err != nil || star < 1 {
		return ""
	}
	if p, chosen := known(words[:star]); p == nil {
		return unknownOptions(words[:chosen])
	}
	return ""
}

// matchPath matches a whole path, or everything below a named folder.
func matchPath(pattern, name string) bool {
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
	if ok, _ := doublestar.Match(pattern, name); ok {
		return true
	}
	ok, _ := doublestar.Match(pattern+"/**", name)
	return ok
}

// matchesPath is matchPathLoosely for the pattern of a rule and all names of a path.
func (r *Rule) matchesPath(p Path) bool {
	return matchPathLoosely(r.Pattern, p.Name) || slices.ContainsFunc([]string{p.Written, p.Original}, func(name string) bool {
		return name != "" && matchPathLoosely(r.Pattern, name)
	})
}

// matchPathLoosely is matchPath for rules that deny or ask. It ignores case, because
// some systems do.
func matchPathLoosely(pattern, name string) bool {
	return matchPath(pattern, name) || matchPath(strings.ToLower(pattern), strings.ToLower(name))
}

// LiteralPattern returns the pattern that matches only the given path or name. As a
// pattern of [SensitiveFiles] it also matches everything below the path.
func LiteralPattern(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(name)
}

// matchHost matches the host of an http or https URL: exactly, or below a domain in a
// pattern with "*.". Unless loosely, it matches no host with other characters than those
// of DNS, because programs may read them differently: a full-width slash ends a host for
// some.
func matchHost(pattern, address string, loosely bool) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	plain := !strings.ContainsFunc(host, func(c rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789.-_:", c) })
	if !plain && !loosely {
		return false
	}
	host = asciiHost(host)
	if below, ok := strings.CutPrefix(pattern, "*."); ok {
		return strings.HasSuffix(host, "."+asciiHost(below))
	}
	return host != "" && host == asciiHost(pattern)
}

// asciiHost returns a host as DNS writes it, "xn--bcher-kva.example" for bücher.example.
// It returns other texts in lower case.
func asciiHost(host string) string {
	host = strings.ToLower(host)
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		return ascii
	}
	return host
}
