package policy

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"parley/internal/termtext"
)

// maxCommand limits the commands that rules judge, in bytes; the user is asked about
// longer ones.
const maxCommand = 64 << 10

// part is one program of a command with its words, after quote removal.
type part struct {
	words []string
	// unclear says why it is uncertain what would run; words then holds the known ones.
	unclear string
	// dirs are the directories in which it may run, as written; "" is the call's.
	dirs []string
	// piped means that another part writes its standard input.
	piped bool
	// input is the text that its standard input may have: of here-documents, and the words of
	// the parts that write it.
	input []string
	// assigns are the variables that are set for it, as NAME=value.
	assigns []string
}

// leads returns the word with which a part changes the directory of those after it.
// known is false if the new directory is known only when it runs.
func (p part) leads() (name string, known bool) {
	switch p.words[0] {
	case "cd":
		if len(p.words) == 2 && p.unclear == "" && p.words[1] != "" && !strings.HasPrefix(p.words[1], "-") {
			return p.words[1], true
		}
		return "", false
	case "pushd", "popd", "chdir", "command", "builtin", "eval", "source", ".":
		return "", false
	}
	return "", true
}

// patternWords returns the words of a command pattern: a "*" matches one word, and as
// the last one any number of words.
func patternWords(pattern string) ([]string, error) {
	parts := commandParts(pattern)
	onlyStars := func(p part) bool { return p.unclear == unclearGlob && !strings.ContainsAny(pattern, "?[") }
	if len(parts) != 1 || parts[0].unclear != "" && !onlyStars(parts[0]) {
		return nil, fmt.Errorf("%q is not one plain command: write each of several as a rule of its own", pattern)
	}
	words := parts[0].words
	if words[0] == "*" {
		return nil, errors.New("the pattern must name a program")
	}
	for _, w := range words {
		if w != "*" && strings.Contains(w, "*") {
			return nil, fmt.Errorf("%q: a * matches only whole words", w)
		}
	}
	return words, nil
}

func matchWords(pattern, words []string) bool {
	for i, p := range pattern {
		if p == "*" && i == len(pattern)-1 {
			return true
		}
		if i >= len(words) || p != "*" && p != words[i] {
			return false
		}
	}
	return len(words) == len(pattern)
}

// permittedCommand allows a command if every part of it is allowed.
func permittedCommand(rules []Rule, r Request) Decision {
	parts := r.parts()
	if len(parts) == 0 {
		return Decision{Verdict: Ask, Why: "the agent gives no command"}
	}
	var first *Rule
	for _, p := range parts {
		if p.unclear != "" {
			return Decision{Verdict: Ask, Why: p.unclear}
		}
		if r.stays(p) {
			continue
		}
		rule, why := r.allowsPart(rules, p)
		if rule == nil {
			return Decision{Verdict: Ask, Why: why}
		}
		if first == nil {
			first = rule
		}
	}
	if first == nil {
		return Decision{Verdict: Ask}
	}
	return Decision{Verdict: Allow, Rule: first}
}

// stays reports whether a part only goes to the session's directory. Many agents begin
// each command with that.
func (q Request) stays(p part) bool {
	name, known := p.leads()
	return known && name != "" && !slices.ContainsFunc(p.dirs, func(dir string) bool { return !q.home(below(dir, name)) })
}

// allowsPart finds a rule that allows a part. A rule that names all words allows it in
// the session's directory; otherwise every word must be understood.
func (q Request) allowsPart(rules []Rule, p part) (*Rule, string) {
	why := ""
	for i := range rules {
		pattern, err := patternWords(rules[i].Pattern)
		if err != nil || !matchWords(pattern, p.words) {
			continue
		}
		named := slices.Index(pattern, "*")
		if named < 0 {
			named = len(pattern)
			if !p.piped && !slices.ContainsFunc(p.dirs, func(dir string) bool { return !q.home(dir) }) {
				return &rules[i], ""
			}
		}
		if why = q.understand(p, named); why == "" {
			return &rules[i], ""
		}
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
		all, complete := q.unwrap(p)
		if !complete {
			return true // the rule's command may be hidden in it; users do not write such commands
		}
		for _, v := range all {
			if matchWords(pattern, v.words) || matchWords(pattern, v.named()) {
				return true
			}
		}
	}
	return false
}

// named returns the words with the program by its name alone. A program of git's is its
// command.
func (v invocation) named() []string {
	words := slices.Clone(v.words)
	words[0] = path.Base(words[0])
	if command, ok := strings.CutPrefix(words[0], "git-"); ok && command != "" {
		words = append([]string{"git", command}, words[1:]...)
	}
	if words[0] == "git" && len(words) > 1 && (words[1] == "send-pack" || words[1] == "http-push") {
		words[1] = "push"
	}
	return words
}

// Marks in a word for what is known only when the command runs.
const (
	unknownText  = "\ue0ff"               // any text
	unknownWords = unknownText + "\ue0fe" // any words
	unknownPipe  = unknownText + "\ue0fc" // the name of a pipe
	unknownName  = "\ue0fd"               // any text without a slash
)

// unknown reports whether a word has a mark.
func unknown(word string) bool { return strings.ContainsAny(word, unknownText+unknownName) }

// mayTouchCommand reports whether a rule that denies or asks may match a program of a
// command for all that is known before it runs.
func (r *Rule) mayTouchCommand(q Request) bool {
	pattern, err := patternWords(r.Pattern)
	if err != nil {
		return false
	}
	q.marked = true
	return slices.ContainsFunc(q.parts(), func(p part) bool {
		all, complete := q.unwrap(p)
		return !complete || slices.ContainsFunc(p.assigns, func(a string) bool { return runningVariable(a, pattern) }) || slices.ContainsFunc(all, func(v invocation) bool {
			return mayMatch(pattern, v.words) || mayMatch(pattern, v.named()) || v.readsProgram() || v.mayRun(pattern)
		})
	})
}

// mayRun reports whether a program has the words of a pattern among its own, within them, or in
// what it reads, in their order, and is not known to run no other program:
// `git -c alias.x='!rm y' x`.
func (v invocation) mayRun(pattern []string) bool {
	if v.shortened || (Request{}).understood(v.part).harmless {
		return false
	}
	var names []string
	for _, w := range slices.Concat(v.words, v.program()) {
		names = append(names, namesIn(w)...)
	}
	return hasNames(names, pattern)
}

// program returns what a program may take for a program in its standard input.
func (v invocation) program() []string {
	if name, _ := systemProgram(v.words[0]); slices.Contains(consumers, name) {
		return nil
	}
	return v.input
}

// consumers are programs with unknown options that run nothing of what they read.
var consumers = strings.Fields("git gh tee jq yq column fold fmt pr nl paste expand base64 xxd gzip gunzip zcat pbcopy xclip xsel wl-copy diffstat")

// hasNames reports whether the words of a pattern are among names, in their order.
func hasNames(names, pattern []string) bool {
	for _, p := range pattern {
		if p == "*" {
			continue
		}
		at := slices.Index(names, path.Base(p))
		if at < 0 {
			return false
		}
		names = names[at+1:]
	}
	return true
}

// namesIn returns what may be names of programs and their words within a word: in a script,
// after a "=", behind the letter of an option.
func namesIn(word string) []string {
	texts := []string{word}
	if strings.ContainsAny(word, `\"'`) {
		texts = append(texts, strings.NewReplacer(`\`, "", `"`, "", "'", "").Replace(word), unescapedC(word, ""))
	}
	var names []string
	for _, text := range texts {
		for _, token := range pathsIn(text) {
			names = append(names, path.Base(token))
		}
	}
	return names
}

// pathsIn returns what may be paths within a word.
func pathsIn(word string) []string {
	tokens := strings.FieldsFunc(word, func(r rune) bool {
		return r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./+~#%", r)
	})
	for _, t := range tokens {
		if len(t) > 2 && t[0] == '-' && t[1] != '-' {
			tokens = append(tokens, t[2:])
		}
	}
	return tokens
}

// runs reports whether a variable names a program or a script to run.
func runs(variable string) bool {
	switch variable {
	case "BASH_ENV", "ENV", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS3", "PS4", "SHELL", "EDITOR", "VISUAL", "BROWSER",
		"LESSOPEN", "LESSCLOSE", "RSYNC_RSH", "CVS_RSH", "SUDO_ASKPASS", "SSH_ASKPASS", "PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT",
		"PYTHONSTARTUP", "PYTHONPATH", "PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "NODE_OPTIONS", "MAKEFILES", "MAKEFLAGS", "GOFLAGS":
		return true
	}
	return strings.HasSuffix(variable, "PAGER") || strings.HasPrefix(variable, "GIT_")
}

// runningVariable reports whether an assignment may have a program run that a pattern names.
func runningVariable(assign string, pattern []string) bool {
	name, value, _ := strings.Cut(assign, "=")
	return hasNames(namesIn(value), pattern) || runs(name) && unknown(value)
}

// mayMatch reports whether a pattern matches the words before the first unknown one. That
// may be any number of words.
func mayMatch(pattern, words []string) bool {
	for i, w := range words {
		base := path.Base(w)
		switch {
		case i == 0 && unknown(w) && !unknown(base) && !strings.Contains(w, unknownWords):
			if pattern[0] != "*" && path.Base(pattern[0]) != base {
				return false
			}
		case unknown(w):
			return true
		case i >= len(pattern) || pattern[i] != "*" && pattern[i] != w:
			return false
		}
	}
	return len(words) > 0 && unknown(words[0]) // by a folder that is unknown
}

// readsProgram reports whether a program reads from elsewhere what it runs.
func (v invocation) readsProgram() bool {
	fed := v.piped || v.unclear != ""
	operands := slices.DeleteFunc(slices.Clone(v.words[1:]), func(w string) bool { return strings.HasPrefix(w, "-") && w != "-" })
	replaces := func(w string) bool {
		return strings.HasPrefix(w, "-I") || strings.HasPrefix(w, "-J") || strings.HasPrefix(w, "-i") || strings.HasPrefix(w, "--replace")
	}
	switch name := path.Base(v.words[0]); {
	case slices.Contains(shells, name), slices.Contains(otherShells, name), name == "source", name == ".":
		given := len(operands) > 0 && operands[0] != "-" && !strings.HasPrefix(operands[0], "/dev/") && !strings.HasPrefix(operands[0], "/proc/")
		return fed && !given || len(operands) > 0 && unknown(operands[0])
	case name == "at", name == "batch", name == "crontab" && (len(operands) == 0 || operands[0] == "-"):
		return fed
	case name == "xargs":
		return slices.ContainsFunc(v.words[1:], replaces)
	case name == "parallel":
		return true
	}
	return false
}

// parts returns the programs that a request would run.
func (q Request) parts() []part {
	if q.Args == nil {
		return q.collect(q.Command)
	}
	if a := q.Args; len(a) == 3 && isShell(a[0]) && (a[1] == "-c" || a[1] == "-lc" || a[1] == "-ec") {
		return q.collect(a[2])
	}
	if len(q.Args) == 0 {
		return nil
	}
	p := part{words: q.Args, dirs: []string{q.Dir}}
	for _, w := range q.Args {
		if hidden(w) {
			p.unclear = unclearHidden
		}
	}
	return []part{p}
}

// shells run a script that is one of their words.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh"}

// otherShells have another syntax, or are no shells of commands that rules allow.
var otherShells = []string{"ash", "mksh", "rbash", "yash", "fish", "csh", "tcsh"}

// shellFolders are the directories of shells that are named by path. Elsewhere, such as
// in the project, a file with that name may be anything.
var shellFolders = []string{"/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/opt/local/bin", "/run/current-system/sw/bin"}

// isShell reports whether program is a shell of the system, by name or path.
func isShell(program string) bool {
	name, system := systemProgram(program)
	return system && slices.Contains(shells, name)
}

// systemProgram returns the name of a program of the system, given by name or path, and any
// other program as it is.
func systemProgram(program string) (name string, system bool) {
	name = path.Base(program)
	if program != name && !slices.Contains(shellFolders, path.Dir(program)) {
		return program, false
	}
	return name, true
}

// Why a command cannot be judged.
const (
	unclearSyntax    = "the command could not be understood"
	unclearHidden    = "the command contains invisible characters"
	unclearLong      = "the command is too long to check"
	unclearExpansion = "the command's expansions are only known when it runs"
	unclearGlob      = "the command's file patterns are only expanded when it runs"
	unclearConstruct = "the command uses shell syntax beyond running programs in sequence"
	unclearAssign    = "the command sets variables for what it runs"
	unclearRedirect  = "the command redirects input or output to files"
)

// hidden reports whether text contains invisible or misleading characters.
func hidden(s string) bool {
	return termtext.Block(s) != s || strings.ContainsAny(s, "\r\x00")
}

// commandParts returns the programs of a command line for a POSIX shell or bash. Anything
// but a plain program with plain words is unclear.
func commandParts(command string) []part { return Request{}.collect(command) }

// collect is commandParts for a command in the directory of the request.
func (q Request) collect(command string) []part { return q.collectIn([]string{q.Dir}, command) }

// collectIn is collect for a command that runs in one of some directories.
func (q Request) collectIn(dirs []string, command string) []part {
	if len(command) > maxCommand {
		return []part{{words: []string{unknownText}, unclear: unclearLong}}
	}
	parts := q.parse(dirs, command)
	if hidden(command) {
		for i := range parts {
			parts[i].unclear = unclearHidden
		}
	}
	return parts
}

// parse is collectIn without its bounds.
func (q Request) parse(dirs []string, command string) []part {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return looseParts(command)
	}
	c := &collector{dirs: dirs, marked: q.marked}
	c.list(file.Stmts)
	return c.parts
}

// looseParts returns what may be programs in a command that cannot be parsed: a shell may
// read it otherwise.
func looseParts(command string) []part {
	words := strings.FieldsFunc(command, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(";&|()<>{}`$\"'\\", r) })
	parts := []part{{words: []string{unknownText}, unclear: unclearSyntax}}
	for i := range words[:min(len(words), maxUnwrapped)] {
		parts = append(parts, part{words: words[i:], unclear: unclearSyntax})
	}
	return parts
}

// collector gathers the programs of a parsed command.
type collector struct {
	parts  []part
	dirs   []string // where the next program may run
	piped  bool     // the next program reads what another writes
	input  []string // what the next program may read
	marked bool     // mark what is known only when the command runs
}

// list takes apart statements one after the other.
func (c *collector) list(all []*syntax.Stmt) {
	for _, s := range all {
		done, failed := c.statement(s)
		c.dirs = joined(done, failed)
	}
}

// statement takes apart plain programs, lists and pipes. In anything else it also finds
// every program, so that a denying rule sees it, and marks it as unclear. It returns the
// directories in which the shell may be after the statement, if it succeeds and if it
// fails.
func (c *collector) statement(s *syntax.Stmt) (done, failed []string) {
	why := ""
	switch {
	case s.Background:
		why = unclearConstruct
	case !harmlessRedirects(s.Redirs):
		why = unclearRedirect
	}
	from := len(c.parts)
	done, failed = c.dirs, c.dirs
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		c.call(cmd)
		done = c.parts[from].leadsTo()
	case *syntax.BinaryCmd: // a list or a pipe
		done, failed = c.binary(cmd)
	default:
		why = unclearConstruct
	}
	if why == unclearConstruct || why == unclearRedirect {
		c.inside(s, from)
		if len(c.parts) == from {
			c.parts = append(c.parts, part{words: []string{""}})
		}
		if _, plain := s.Cmd.(*syntax.CallExpr); !plain {
			all := c.wander(from)
			done, failed = all, all
		}
		for i := from; i < len(c.parts); i++ {
			c.parts[i].unclear = why
		}
	}
	if s.Negated {
		return failed, done
	}
	return done, failed
}

// wander sets the directories of parts of which any may change that of any other, and returns
// them.
func (c *collector) wander(from int) []string {
	all := c.dirs
	for _, p := range c.parts[from:] {
		if name, known := p.leads(); known && name == "" {
			continue
		}
		p.dirs = all
		all = joined(all, p.leadsTo())
	}
	for i := from; i < len(c.parts); i++ {
		c.parts[i].dirs = all
	}
	return all
}

// binary takes apart a list or a pipe of two statements.
func (c *collector) binary(cmd *syntax.BinaryCmd) (done, failed []string) {
	before, piped, input := c.dirs, c.piped, c.input
	from := len(c.parts)
	done, failed = c.statement(cmd.X)
	switch cmd.Op {
	case syntax.AndStmt:
		c.dirs = done
	case syntax.OrStmt:
		c.dirs = failed
	default:
		c.piped = true
		for _, p := range c.parts[from:] {
			c.input = slices.Concat(c.input, p.words, p.input)
		}
		c.dirs = joined(before, joined(done, failed)) // shells differ
	}
	done2, failed2 := c.statement(cmd.Y)
	c.dirs, c.piped, c.input = before, piped, input
	switch cmd.Op {
	case syntax.AndStmt:
		return done2, joined(failed, failed2)
	case syntax.OrStmt:
		return joined(done, done2), failed2
	}
	all := joined(joined(done, failed), joined(done2, failed2))
	return all, all
}

// leadsTo returns the directories of the shell after a part that has succeeded.
func (p part) leadsTo() []string {
	name, known := p.leads()
	switch {
	case !known:
		return []string{unknownDir}
	case name == "":
		return p.dirs
	}
	var out []string
	for _, dir := range p.dirs {
		out = joined(out, []string{below(dir, name)})
	}
	return out
}

// inside finds every program below a node that was not taken apart.
func (c *collector) inside(n syntax.Node, from int) {
	c.parts = c.parts[:from]
	var input []string
	pipe := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			c.call(n)
			return false // call has looked inside its words
		case *syntax.Redirect:
			c.redirect(n)
			input = append(input, c.here(n)...)
		case *syntax.BinaryCmd:
			pipe = pipe || n.Op == syntax.Pipe || n.Op == syntax.PipeAll
		case *syntax.DeclClause: // export, declare: what they name is their words
			p := part{words: []string{n.Variant.Value}, dirs: c.dirs}
			for _, a := range n.Args {
				p.words = append(p.words, c.assignment(a))
			}
			c.parts = append(c.parts, p)
		case *syntax.LetClause, *syntax.ArithmCmd, *syntax.TestClause: // "a[$(rm x)]" runs in quotes, too
			p := part{words: []string{"let"}, dirs: c.dirs}
			syntax.Walk(n, func(n syntax.Node) bool {
				if w, ok := n.(*syntax.Word); ok {
					text, _ := literal(w, c.marked)
					p.words = append(p.words, text)
				}
				return true
			})
			c.parts = append(c.parts, p)
		}
		return true
	})
	for _, p := range c.parts[from:] {
		if pipe {
			input = append(input, p.words...)
		}
	}
	for i := from; i < len(c.parts); i++ {
		c.parts[i].input = slices.Concat(c.parts[i].input, input)
		c.parts[i].piped = c.parts[i].piped || pipe
	}
}

// call handles one program, and finds programs inside its words.
func (c *collector) call(call *syntax.CallExpr) {
	p := part{dirs: c.dirs, piped: c.piped, input: c.input}
	for _, a := range call.Assigns {
		p.unclear = unclearAssign
		p.assigns = append(p.assigns, c.assignment(a))
	}
	for _, w := range call.Args {
		text, why := literal(w, c.marked)
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

// assignment returns an assignment as NAME=value.
func (c *collector) assignment(a *syntax.Assign) string {
	text := ""
	if a.Name != nil {
		text = a.Name.Value + "="
	}
	words := []*syntax.Word{a.Value}
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			words = append(words, e.Value)
		}
	}
	for _, w := range words {
		if w != nil {
			if text == "PATH=" {
				w = withoutPath(w)
			}
			value, _ := literal(w, c.marked)
			text += value + " "
		}
	}
	return strings.TrimSuffix(text, " ")
}

// withoutPath returns a word without "$PATH", which makes no program another one.
func withoutPath(w *syntax.Word) *syntax.Word {
	var without func(parts []syntax.WordPart) []syntax.WordPart
	without = func(parts []syntax.WordPart) (all []syntax.WordPart) {
		for _, p := range parts {
			switch q := p.(type) {
			case *syntax.ParamExp:
				if q.Param != nil && q.Param.Value == "PATH" && q.Exp == nil && q.Repl == nil && q.Slice == nil && !q.Excl {
					continue
				}
			case *syntax.DblQuoted:
				p = &syntax.DblQuoted{Dollar: q.Dollar, Parts: without(q.Parts)}
			}
			all = append(all, p)
		}
		return all
	}
	return &syntax.Word{Parts: without(w.Parts)}
}

// here returns the text of a here-document or a here-string.
func (c *collector) here(r *syntax.Redirect) []string {
	w := r.Hdoc
	if r.Op == syntax.WordHdoc {
		w = r.Word
	}
	if w == nil {
		return nil
	}
	text, _ := literal(w, c.marked)
	return []string{text}
}

// The programs of the parts that stand for redirects.
const (
	readRedirect  = "<"
	writeRedirect = ">"
)

// redirect adds a part for a redirect that reads or writes a file.
func (c *collector) redirect(r *syntax.Redirect) {
	program := writeRedirect
	switch r.Op {
	case syntax.RdrIn, syntax.DplIn:
		program = readRedirect
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return
	}
	if r.Word == nil || harmlessRedirects([]*syntax.Redirect{r}) {
		return
	}
	name, _ := literal(r.Word, c.marked)
	c.parts = append(c.parts, part{words: []string{program, name}, dirs: c.dirs})
	if r.Op == syntax.RdrInOut {
		c.parts = append(c.parts, part{words: []string{readRedirect, name}, dirs: c.dirs})
	}
}

// nested finds the programs in substitutions.
func (c *collector) nested(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		var all []*syntax.Stmt
		switch n := n.(type) {
		case *syntax.CmdSubst:
			all = n.Stmts
		case *syntax.ProcSubst:
			all = n.Stmts
		default:
			return true
		}
		from, before := len(c.parts), c.dirs
		c.list(all)
		c.dirs = before
		for i := from; i < len(c.parts); i++ {
			c.parts[i].unclear = unclearExpansion
		}
		return false
	})
}

// literal returns a word without its quotes, and why the result is incomplete, if it is. If
// marked, what is known only when the command runs is marked.
func literal(w *syntax.Word, marked bool) (text, why string) {
	var b strings.Builder
	mark := func(mark string) {
		if marked {
			b.WriteString(mark)
		}
	}
	var walk func(parts []syntax.WordPart, quoted bool)
	walk = func(parts []syntax.WordPart, quoted bool) {
		for _, p := range parts {
			switch p := p.(type) {
			case *syntax.Lit:
				if !quoted && why == "" && globs(p.Value) {
					why = unclearGlob
				}
				// "=ls" is the path of ls for zsh
				leads := strings.HasPrefix(p.Value, "~") || strings.HasPrefix(p.Value, "=") && strings.Trim(p.Value, "=") != ""
				if !quoted && leads && b.Len() == 0 && why == "" {
					why = unclearExpansion
				}
				if quoted || !marked {
					b.WriteString(unescaped(p.Value, quoted))
					break
				}
				value := p.Value
				if strings.HasPrefix(value, "~") && b.Len() == 0 {
					_, below, found := strings.Cut(value, "/")
					if b.WriteString(unknownText); !found {
						break
					}
					value = "/" + below
				}
				if value != "[" || len(w.Parts) > 1 { // but not the program
					value = markedGlobs(value)
				}
				b.WriteString(value)
			case *syntax.SglQuoted:
				if !p.Dollar {
					b.WriteString(p.Value)
					break
				}
				why = unclearExpansion
				end := ""
				if marked {
					end = unknownText
				}
				b.WriteString(unescapedC(p.Value, end))
			case *syntax.DblQuoted:
				if p.Dollar {
					why = unclearExpansion
				}
				walk(p.Parts, true)
			default:
				why = unclearExpansion
				mark(markOf(p, quoted))
			}
		}
	}
	walk(w.Parts, false)
	return b.String(), why
}

// markOf returns the mark for a part of a word that the shell replaces.
func markOf(p syntax.WordPart, quoted bool) string {
	several := !quoted
	switch p := p.(type) {
	case *syntax.ProcSubst:
		return unknownPipe
	case *syntax.ArithmExp:
		several = false
	case *syntax.ParamExp:
		several = several || p.Index != nil || p.Param != nil && p.Param.Value == "@" // "$@"
	}
	if several {
		return unknownWords
	}
	return unknownText
}

// markedGlobs is unescaped for text outside quotes, with its file patterns and braces marked.
func markedGlobs(value string) string {
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		switch c := value[i]; c {
		case '\\':
			if i++; i < len(value) && value[i] != '\n' {
				b.WriteByte(value[i])
			}
		case '*', '?':
			b.WriteString(unknownName)
		case '[':
			end := strings.IndexByte(value[i:], ']')
			if end < 0 {
				b.WriteString(unknownText)
				return b.String()
			}
			b.WriteString(unknownName)
			i += end
		case '{':
			end := strings.LastIndexByte(value[i:], '}')
			if end >= 0 && !strings.Contains(value[i:i+end], ",") && !strings.Contains(value[i:i+end], "..") { // "{}", "HEAD@{1}"
				b.WriteByte(c)
				break
			}
			if end < 0 || strings.ContainsAny(value[i:i+end], "/*?[") {
				b.WriteString(unknownText)
				return b.String()
			}
			b.WriteString(unknownName)
			i += end
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
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
			target, why = literal(r.Word, false)
		}
		duplicate := (r.Op == syntax.DplOut || r.Op == syntax.DplIn) && (target == "1" || target == "2" || target == "0")
		if why != "" || r.Hdoc != nil || !duplicate && target != "/dev/null" {
			return false
		}
	}
	return true
}

// unescapedC returns text in $'...' as the shell understands it. Text after a zero byte, which
// shells treat differently, is end.
func unescapedC(value, end string) string {
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] != '\\' || i+1 == len(value) {
			b.WriteByte(value[i])
			continue
		}
		i++
		if plain := strings.IndexByte("abeEfnrtv\\'\"?", value[i]); plain >= 0 {
			b.WriteByte("\a\b\x1b\x1b\f\n\r\t\v\\'\"?"[plain])
			continue
		}
		base, most, from := 16, 2, i+1
		switch value[i] {
		case 'x':
		case 'u':
			most = 4
		case 'U':
			most = 8
		case '0', '1', '2', '3', '4', '5', '6', '7':
			base, most, from = 8, 3, i
		case 'c':
			if i++; i == len(value) || value[i]&0x1f == 0 {
				return b.String() + end
			}
			b.WriteByte(value[i] & 0x1f)
			continue
		default:
			b.WriteString(value[i-1 : i+1])
			continue
		}
		braced := value[i] == 'x' && strings.HasPrefix(value[from:], "{")
		if braced {
			from++
			most = 8
		}
		to := from
		for to < len(value) && to-from < most && strings.IndexByte("0123456789abcdefABCDEF"[:base+6*(base/16)], value[to]) >= 0 {
			to++
		}
		code, err := strconv.ParseUint(value[from:to], base, 32)
		switch {
		case err != nil:
			b.WriteString(value[i-1 : i+1])
			continue
		case value[i] == 'u' || value[i] == 'U':
			b.WriteRune(rune(code)) //nolint:gosec // at most 32 bits
		default:
			b.WriteByte(byte(code)) //nolint:gosec // as shells do
		}
		if code == 0 || code == 256 {
			return strings.TrimSuffix(b.String(), "\x00") + end
		}
		if braced && strings.HasPrefix(value[to:], "}") {
			to++
		}
		i = to - 1
	}
	return b.String()
}
