package policy

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"parley/internal/termtext"
)

// maxCommand bounds the commands that rules judge, in bytes; the user is asked about
// longer ones.
const maxCommand = 64 << 10

// part is one program of a command with its words, after quote removal.
type part struct {
	words []string
	// unclear says why it is uncertain what would run; words then holds the known ones.
	unclear string
}

// patternWords returns the words of a command pattern: a "*" matches one word, and as
// the last one any number of words.
func patternWords(pattern string) ([]string, error) {
	parts := commandParts(pattern)
	if len(parts) != 1 || parts[0].unclear != "" && !onlyStars(pattern, parts[0]) {
		return nil, fmt.Errorf("%q is not one plain command: write each of several as a rule of its own", pattern)
	}
	words := parts[0].words
	if words[0] == "*" {
		return nil, errors.New("the pattern must name a program")
	}
	for _, w := range words {
		if w != "*" && strings.Contains(w, "*") {
			return nil, fmt.Errorf("%q: a * stands for whole words only", w)
		}
	}
	return words, nil
}

// onlyStars reports whether a pattern, read as a command, is unclear only because of
// its stars.
func onlyStars(pattern string, p part) bool {
	return p.unclear == unclearGlob && !strings.ContainsAny(pattern, "?[")
}

// matchWords matches all words of a command, and returns those that a star matched.
func matchWords(pattern, words []string) (free []string, ok bool) {
	for i, p := range pattern {
		if p == "*" && i == len(pattern)-1 {
			return append(free, words[min(i, len(words)):]...), true
		}
		if i >= len(words) || p != "*" && p != words[i] {
			return nil, false
		}
		if p == "*" {
			free = append(free, words[i])
		}
	}
	return free, len(words) == len(pattern)
}

// permittedCommand allows a command of which every part is allowed.
func permittedCommand(rules []Rule, r Request) Decision {
	parts := r.parts()
	if len(parts) == 0 {
		return Decision{Verdict: Ask, Why: "the agent names no command"}
	}
	var first *Rule
	for _, p := range parts {
		if p.unclear != "" {
			return Decision{Verdict: Ask, Why: p.unclear}
		}
		rule, why := allowsPart(rules, p)
		if rule == nil {
			return Decision{Verdict: Ask, Why: why}
		}
		if first == nil {
			first = rule
		}
	}
	return Decision{Verdict: Allow, Rule: first}
}

// allowsPart finds a rule that allows one program with its words. The words that a star
// matches must not make the program run another.
func allowsPart(rules []Rule, p part) (*Rule, string) {
	why := ""
	for i := range rules {
		pattern, err := patternWords(rules[i].Pattern)
		if err != nil {
			continue
		}
		free, ok := matchWords(pattern, p.words)
		if !ok {
			continue
		}
		if risk := runsOthers(p.words[0], free); risk != "" {
			why = risk
			continue
		}
		return &rules[i], ""
	}
	return nil, why
}

// touchesCommand reports whether a rule that denies or asks matches any program of a
// command, including one that another program runs. It compares programs by name,
// wherever they are.
func (r *Rule) touchesCommand(q Request) bool {
	pattern, err := patternWords(r.Pattern)
	if err != nil {
		return false
	}
	parts := q.parts()
	for _, other := range q.Others {
		parts = append(parts, other.parts()...)
	}
	for _, p := range parts {
		all, complete := unwrap(p.words)
		if !complete {
			return true // it may be in there: nobody writes such a command by hand
		}
		for _, words := range all {
			named := slices.Clone(words)
			named[0] = path.Base(named[0])
			for _, w := range [][]string{words, named} {
				if _, ok := matchWords(pattern, w); ok {
					return true
				}
			}
		}
	}
	return false
}

// parts returns the programs that a request would run.
func (q Request) parts() []part {
	if q.Args == nil {
		return commandParts(q.Command)
	}
	if script, ok := shellScript(q.Args); ok {
		return commandParts(script)
	}
	if len(q.Args) == 0 {
		return nil
	}
	p := part{words: q.Args}
	for _, w := range q.Args {
		if hidden(w) {
			p.unclear = unclearHidden
		}
	}
	return []part{p}
}

// shells run a script that is one of their words.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh"}

// shellFolders are the directories of shells that are named by path. Elsewhere, such as
// in the project, a file with that name may be anything.
var shellFolders = []string{"/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/opt/local/bin", "/run/current-system/sw/bin"}

// shellScript returns the script if words are exactly "bash -c SCRIPT" or the like.
func shellScript(words []string) (string, bool) {
	if len(words) == 3 && isShell(words[0]) && (words[1] == "-c" || words[1] == "-lc" || words[1] == "-ec") {
		return words[2], true
	}
	return "", false
}

// isShell reports whether program is a shell of the system, by name or path.
func isShell(program string) bool {
	name := path.Base(program)
	return slices.Contains(shells, name) && (program == name || slices.Contains(shellFolders, path.Dir(program)))
}

// Why a command cannot be judged.
const (
	unclearSyntax    = "the command could not be understood"
	unclearHidden    = "the command holds characters that cannot be seen"
	unclearLong      = "the command is too long to be judged"
	unclearExpansion = "what the command runs is known only when it runs"
	unclearGlob      = "which files the command names is known only when it runs"
	unclearConstruct = "the command is more than plain programs after each other"
	unclearAssign    = "the command sets variables for what it runs"
	unclearRedirect  = "the command reads or writes files by redirection"
)

// hidden reports whether text contains invisible or misleading characters.
func hidden(s string) bool {
	return termtext.Block(s) != s || strings.ContainsAny(s, "\r\x00")
}

// commandParts returns the programs of a command line for a POSIX shell or bash.
// Anything but a plain program with plain words is unclear.
func commandParts(command string) []part {
	switch {
	case len(command) > maxCommand:
		return []part{{words: []string{""}, unclear: unclearLong}}
	case hidden(command):
		return []part{{words: []string{""}, unclear: unclearHidden}}
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return []part{{words: []string{""}, unclear: unclearSyntax}}
	}
	c := &collector{}
	for _, s := range file.Stmts {
		c.statement(s)
	}
	return c.parts
}

// collector gathers the programs of a parsed command.
type collector struct{ parts []part }

// statement takes apart plain programs, lists and pipes. In anything else it also finds
// every program, so that a denying rule sees it, and marks it as unclear.
func (c *collector) statement(s *syntax.Stmt) {
	why := ""
	switch {
	case s.Background || s.Coprocess || s.Disown:
		why = unclearConstruct
	case !harmlessRedirects(s.Redirs):
		why = unclearRedirect
	}
	from := len(c.parts)
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		c.call(cmd)
	case *syntax.BinaryCmd:
		c.statement(cmd.X)
		c.statement(cmd.Y)
	default:
		why = unclearConstruct
	}
	if why == unclearConstruct || why == unclearRedirect {
		c.inside(s, from)
		if len(c.parts) == from {
			c.parts = append(c.parts, part{words: []string{""}})
		}
		for i := from; i < len(c.parts); i++ {
			c.parts[i].unclear = why
		}
	}
}

// inside finds every program below a node that was not taken apart.
func (c *collector) inside(n syntax.Node, from int) {
	c.parts = c.parts[:from]
	syntax.Walk(n, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			c.call(call)
			return false // call has looked inside its words
		}
		return true
	})
}

// call handles one program, and finds programs inside its words.
func (c *collector) call(call *syntax.CallExpr) {
	p := part{}
	if len(call.Assigns) > 0 {
		p.unclear = unclearAssign
	}
	for _, w := range call.Args {
		text, why := literal(w)
		if why != "" && p.unclear == "" {
			p.unclear = why
		}
		p.words = append(p.words, text)
	}
	if len(p.words) == 0 {
		p.words = []string{""}
	}
	c.parts = append(c.parts, p)
	for _, w := range call.Args {
		c.nested(w)
	}
	for _, a := range call.Assigns {
		c.nested(a)
	}
}

// nested finds the programs in substitutions.
func (c *collector) nested(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Stmt); ok {
			from := len(c.parts)
			c.statement(s)
			for i := from; i < len(c.parts); i++ {
				c.parts[i].unclear = unclearExpansion
			}
			return false
		}
		return true
	})
}

// literal returns a word without its quotes, and why the result is incomplete, if it
// is.
func literal(w *syntax.Word) (text, why string) {
	var b strings.Builder
	var walk func(parts []syntax.WordPart, quoted bool)
	walk = func(parts []syntax.WordPart, quoted bool) {
		for _, p := range parts {
			switch p := p.(type) {
			case *syntax.Lit:
				value := unescaped(p.Value, quoted)
				if !quoted && why == "" && globs(p.Value) {
					why = unclearGlob
				}
				if !quoted && strings.HasPrefix(p.Value, "~") && b.Len() == 0 && why == "" {
					why = unclearExpansion
				}
				b.WriteString(value)
			case *syntax.SglQuoted:
				if p.Dollar {
					why = unclearExpansion
				}
				b.WriteString(p.Value)
			case *syntax.DblQuoted:
				if p.Dollar {
					why = unclearExpansion
				}
				walk(p.Parts, true)
			default:
				why = unclearExpansion
			}
		}
	}
	walk(w.Parts, false)
	return b.String(), why
}

// globs reports whether the shell may replace an unquoted piece of a word by other
// words.
func globs(value string) bool {
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case '*', '?', '[', '{':
			return true
		}
	}
	return false
}

// unescaped drops backslashes as the shell does: outside quotes before any character,
// inside double quotes before few.
func unescaped(value string, quoted bool) string {
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] == '\\' && i+1 < len(value) && (!quoted || strings.IndexByte("\\$`\"\n", value[i+1]) >= 0) {
			i++
			if value[i] == '\n' {
				continue
			}
		}
		b.WriteByte(value[i])
	}
	return b.String()
}

// harmlessRedirects reports whether the redirects touch only other descriptors and
// /dev/null.
func harmlessRedirects(redirects []*syntax.Redirect) bool {
	for _, r := range redirects {
		target, why := "", unclearExpansion
		if r.Word != nil {
			target, why = literal(r.Word)
		}
		duplicate := (r.Op == syntax.DplOut || r.Op == syntax.DplIn) && (target == "1" || target == "2" || target == "0")
		if why != "" || r.Hdoc != nil || !duplicate && target != "/dev/null" {
			return false
		}
	}
	return true
}
