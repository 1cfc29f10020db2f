package policy

import (
	"net/url"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/net/idna"
)

// Any is an unknown agent or mode. Rules that deny or ask apply to it whichever they name,
// rules that allow only if they name none.
const Any = "*"

// Request is what an agent wants to do, as far as that is certain.
type Request struct {
	// Agent is the configured name of the agent, Mode the id of its mode. Either may be [Any].
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
	// Env are the variables that the agent sets for the command, as NAME=value.
	Env []string
	// Resolve returns where a path leads that is written relative to the session's
	// directory. If it is nil, no path is inside the session's directories.
	Resolve func(path string) Path
	// Search looks through a folder, which is written as for Resolve, and returns a file
	// that a program would read and that is sensitive or, if about is not nil, that it reports
	// true for; "" if there is none. ok is false if there are too many files to tell. If Search
	// is nil, no folder is known to be without such a file.
	Search func(dir string, how SearchMode, about func(Path) bool) (found string, ok bool)
	// Expand returns where the paths lead that a pattern of a shell stands for, those that go
	// through a link, written as for Resolve. ok is false if there are too many to tell.
	Expand func(pattern string) (found []Path, ok bool)
	// Others are further commands that the agent names, also in the title. Rules that deny
	// or ask match them too; no rule allows them.
	Others []Request
	// Changes are the paths of the diffs, for rules that deny or ask.
	Changes []Path
	// Named are files that only the title names, for rules that deny or ask.
	Named []Path
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
	// Absolute are Name and Written in full, where those are relative. Only rules that deny or ask match
	// them.
	Absolute []string
	// Links are the links at its end of which each leads to the next, in the same form.
	Links []string
	// Process means that it leads through what is another one for each process.
	Process bool
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

// SearchMode says which files of a folder a program reads.
type SearchMode uint8

// The modes.
const (
	// SearchVisible leaves out hidden files and folders, except for those that a file such
	// as .gitignore or .ignore excepts: as rg does.
	SearchVisible SearchMode = iota
	// SearchTracked looks at the files that git knows, also at those that are gone, and
	// SearchAdded also at those that it would add.
	SearchTracked
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

// Rules are compiled. They are immutable and safe for concurrent use.
type Rules struct{ all []compiled }

// compiled is a rule with its pattern.
type compiled struct {
	Rule
	row   *kindRow
	words []string // of a command
	glob  string   // of files
	names []string // see mayMeet
}

// Compile compiles rules that Parse has returned.
func Compile(rules []Rule) *Rules {
	c := &Rules{}
	for _, r := range rules {
		row := rowOf(r.Kind)
		if row == nil {
			continue // of another version of parley
		}
		rule := compiled{Rule: r, row: row, glob: strings.TrimSuffix(strings.TrimPrefix(r.Pattern, "./"), "/")}
		rule.names = namesOf(rule.glob)
		if row.subject == commands {
			rule.words, _ = patternWords(r.Pattern) // none for a pattern of another version
		}
		c.all = append(c.all, rule)
	}
	return c
}

// with returns the rules with more.
func (c *Rules) with(more []Rule) *Rules {
	return &Rules{slices.Concat(c.all, Compile(more).all)}
}

// Restricts reports whether any rule denies or asks.
func (c *Rules) Restricts() bool {
	return slices.ContainsFunc(c.all, func(r compiled) bool { return r.Verdict > Allow })
}

// answer says whether a rule is about a request.
type answer uint8

const (
	no    answer = iota
	maybe        // it is known only when a command runs
	yes
)

// judged is a request with the programs that its commands run.
type judged struct {
	Request
	programs []invocation
	// tooMany means that there are more programs than parley looks at.
	tooMany bool
	// search are the folders of each PATH that the commands set.
	search []string
	// expanded are the results of Expand.
	expanded map[string][]Path
	// sure means that only yes counts.
	sure bool
}

// judge returns what rules that deny or ask say of a request: the strictest that is about it
// and, unless only that counts, the first that may be.
func (c *Rules) judge(r Request, sure bool) (strictest, doubt Decision) {
	if !c.Restricts() {
		return strictest, doubt
	}
	q := &judged{Request: r, sure: sure}
	q.list()
	for i := range c.all {
		rule := &c.all[i]
		if rule.Verdict == Allow || !rule.applies(r) {
			continue
		}
		switch about := rule.about(q); {
		case about == yes && rule.Verdict > strictest.Verdict:
			strictest = Decision{Verdict: rule.Verdict, Rule: &rule.Rule}
		case about == maybe && doubt.Rule == nil:
			doubt = Decision{Verdict: Ask, Rule: &rule.Rule, Why: rule.row.subject.doubt}
		}
	}
	return strictest, doubt
}

// applies reports whether a rule is about the agent and the mode of a request.
func (r *compiled) applies(q Request) bool {
	is := func(want, got string) bool {
		return want == "" || want == got || got == Any && r.Verdict != Allow
	}
	return is(r.Agent, q.Agent) && is(r.Mode, q.Mode)
}

// about says whether a rule is about a request. Those that deny or ask are also about the
// commands, changes and tools in a request of another kind.
func (r *compiled) about(q *judged) answer {
	switch {
	case r.Kind == q.Kind && r.Pattern == "":
		return yes
	case r.row.subject.about == nil:
		return no
	}
	return r.row.subject.about(r, q)
}

// Decide judges a request.
func (c *Rules) Decide(r Request) Decision {
	if r.Kind == switchMode || r.Kind == question {
		if len(c.all) == 0 {
			return Decision{Verdict: Ask} // it is not for a rule to answer
		}
		return Decision{Verdict: Ask, Why: r.Unclear}
	}
	strictest := c.Violated(r)
	var allowing []*compiled
	for i := range c.all {
		if rule := &c.all[i]; rule.Verdict == Allow && rule.Kind == r.Kind && rule.applies(r) {
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
	d := rowOf(r.Kind).subject.permits(allowing, r)
	if d.Verdict == Allow {
		if _, doubt := c.judge(r, false); doubt.Rule != nil {
			return doubt
		}
	}
	return d
}

// Restrict judges what an agent does or has parley do without a permission: only rules that
// deny or ask count. The zero Decision means that none is about it. Where a rule may be
// about what is known only when a command runs, the verdict is Ask.
func (c *Rules) Restrict(r Request) Decision {
	strictest, doubt := c.judge(r, false)
	if strictest.Rule != nil {
		return strictest
	}
	return doubt
}

// Violated judges what an agent has done: only rules that deny or ask count, and only where it
// is certain that they are about it.
func (c *Rules) Violated(r Request) Decision {
	strictest, _ := c.judge(r, true)
	return strictest
}

// runs reports whether a request has a command.
func (q Request) runs() bool { return len(q.Others) > 0 || q.Command != "" || q.Args != nil }

// Subject returns the commands, files, addresses and tools of a request in one form: two
// calls with the same subject do the same.
func (q Request) Subject() string {
	var all []string
	for _, r := range append([]Request{q}, q.Others...) {
		for _, p := range r.parts() {
			all = append(all, "run "+strings.Join(slices.Concat(p.assigns, p.words), "\x00"))
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

// permitted allows a request of which every part is allowed by a rule; none is why it is asked
// about if it has no part.
func permitted[T any](parts []T, none string, allow func(T) (*Rule, string)) Decision {
	d := Decision{Verdict: Ask, Why: none}
	for i, p := range parts {
		rule, why := allow(p)
		if rule == nil {
			return Decision{Verdict: Ask, Why: why}
		}
		if i == 0 {
			d = Decision{Verdict: Allow, Rule: rule}
		}
	}
	return d
}

// allowsPath finds a rule that allows a path. A rule must name a sensitive path exactly;
// a pattern that happens to match does not count.
func allowsPath(allowing []*compiled, p Path) (rule *Rule, why string) {
	if p.Own {
		return nil, p.Name + " belongs to parley"
	}
	for _, r := range allowing {
		switch sensitive := p.Secret != "" || p.Runs != "" && r.row.changes; {
		case r.Pattern != "" && !matchPath(r.glob, p.Name):
		case sensitive && r.Pattern != LiteralPattern(p.Name):
			why = p.Name + " is sensitive: only a rule that names it can allow it"
		default:
			return &r.Rule, ""
		}
	}
	return nil, why
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
func matchPath(glob, name string) bool {
	whole, _ := doublestar.Match(glob, name)
	below, _ := doublestar.Match(glob+"/**", name)
	return (whole || below) && name != ""
}

// matchesPath reports whether a rule that denies or asks matches a path, by any of its names. It
// ignores case, because some systems do.
func (r *compiled) matchesPath(p Path) bool {
	return slices.ContainsFunc(slices.Concat([]string{p.Name, p.Written, p.Original}, p.Links, p.Absolute), func(name string) bool {
		return matchPath(r.glob, name) || matchPath(strings.ToLower(r.glob), strings.ToLower(name))
	})
}

// mayMeet reports whether a rule for files may match a name that has a pattern, or one below it
// if the pattern ends with "**". The pattern is that of a shell: it begins no name with a dot.
func (r *compiled) mayMeet(q Request, pattern []string) bool {
	names := r.names
	if !strings.ContainsAny(r.Pattern, globChars) {
		if file := q.resolve("", r.Pattern); file.Exists && !file.Folder {
			names = names[:len(names)-1]
		}
	}
	return len(pattern) > maxGlobbed || namesMeet(names, pattern)
}

// namesOf returns the names of a rule's pattern, in lower case. A pattern that may be that of a
// folder ends with "**": one with a dot in its last name is taken for one of files, unless it
// names just one.
func namesOf(pattern string) []string {
	names := strings.Split(strings.ToLower(pattern), "/")
	for i, name := range names {
		if strings.Count(name, "{") != strings.Count(name, "}") || strings.Count(name, "[") != strings.Count(name, "]") { // with a slash inside
			return append(names[:i], "**")
		}
	}
	if !strings.ContainsAny(pattern, globChars) || !strings.Contains(names[len(names)-1], ".") {
		names = append(names, "**")
	}
	return names
}

// namesMeet reports whether there may be a path that two patterns match, in which "**" stands
// for any names.
func namesMeet(rule, pattern []string) bool {
	switch {
	case len(rule) > 0 && rule[0] == "**":
		return namesMeet(rule[1:], pattern) || len(pattern) > 0 && namesMeet(rule, pattern[1:])
	case len(pattern) > 0 && pattern[0] == "**":
		return namesMeet(rule, pattern[1:]) || len(rule) > 0 && namesMeet(rule[1:], pattern)
	case len(rule) == 0 || len(pattern) == 0:
		return len(rule) == len(pattern)
	}
	return nameMeets(rule[0], pattern[0]) && namesMeet(rule[1:], pattern[1:])
}

// nameMeets is namesMeet for one name. Two with stars meet unless what they begin or end with
// differs.
func nameMeets(rule, pattern string) bool {
	ruleBegin, ruleEnd, ruled := ends(rule)
	begin, end, patterned := ends(pattern)
	switch {
	case patterned && begin == "" && !strings.HasPrefix(pattern, "**") && strings.HasPrefix(rule, "."):
		return false
	case !patterned:
		ok, _ := doublestar.Match(rule, pattern)
		return ok
	case !ruled:
		ok, _ := doublestar.Match(pattern, rule)
		return ok
	}
	fit := func(x, y string, has func(s, part string) bool) bool { return has(x, y) || has(y, x) }
	return fit(ruleBegin, begin, strings.HasPrefix) && fit(ruleEnd, end, strings.HasSuffix)
}

// ends returns what the matches of a pattern begin and end with.
func ends(pattern string) (begin, end string, stars bool) {
	at := strings.IndexAny(pattern, globChars)
	if at < 0 {
		return pattern, pattern, false
	}
	return pattern[:at], pattern[strings.LastIndexAny(pattern, globChars+"]}")+1:], true
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
