package policy

import (
	"cmp"
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
	// words may have marks for what is known only when the command runs.
	words []string
	// unclear says why it is uncertain what would run.
	unclear string
	// dirs are the directories in which it may run, as written; "" is the call's.
	dirs []string
	// piped means that another part writes its standard input, redirected that it has another
	// one all the same.
	piped, redirected bool
	// input is the text that its standard input may have: of here-documents, and the words of
	// the parts that write it.
	input []string
	// assigns are the variables that are set for it, as NAME=value.
	assigns []string
}

// Marks in a word for what is known only when the command runs.
const (
	anyText = "\ue0ff" // any text
	anyName = "\ue0fe" // any text without a slash
)

// open reports whether a word has a mark.
func open(word string) bool { return strings.ContainsAny(word, anyText+anyName) }

// changesDir returns the word with which a part changes the directory of those after it, "" if
// it does not. known is false if the new directory is known only when it runs.
func (p part) changesDir() (name string, known bool) {
	switch p.words[0] {
	case "cd", "pushd":
		if len(p.words) == 2 && !open(p.words[1]) && p.words[1] != "" && !strings.HasPrefix(p.words[1], "-") && !strings.HasPrefix(p.words[1], "+") {
			return p.words[1], true
		}
		return "", false
	case "popd", "chdir", "command", "builtin", "eval", "source", ".":
		return "", false
	}
	return "", true
}

// dirsAfter returns the directories of the shell after a part that has succeeded.
func (p part) dirsAfter() (dirs []string) {
	name, known := p.changesDir()
	switch {
	case !known:
		return []string{unknownDir}
	case name == "":
		return p.dirs
	}
	for _, dir := range p.dirs {
		dirs = joined(dirs, []string{inDir(dir, name)})
	}
	return dirs
}

// unknownDir stands for a directory that is known only when the command runs.
const unknownDir = anyText

// maxDirs limits the directories in which a part of a command may run.
const maxDirs = 16

// joined returns the directories of both lists.
func joined(a, b []string) []string {
	out := slices.Clone(a)
	for _, dir := range b {
		if !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	if len(out) > maxDirs {
		return []string{unknownDir}
	}
	return out
}

// inDir returns a path that is written relative to a directory.
func inDir(dir, name string) string {
	if dir == "" || path.IsAbs(name) {
		return name
	}
	return dir + "/" + name
}

// patternWords returns the words of a command pattern: a "*" matches one word, and as
// the last one any number of words.
func patternWords(pattern string) (words []string, err error) {
	parts := Request{Command: pattern}.parts()
	onlyStars := func(p part) bool { return p.unclear == unclearGlob && !strings.ContainsAny(pattern, "?[") }
	if len(parts) != 1 || parts[0].unclear != "" && !onlyStars(parts[0]) {
		return nil, fmt.Errorf("%q is not one plain command: write each of several as a rule of its own", pattern)
	}
	for i := 0; i < len(parts[0].words); i++ {
		w := parts[0].words[i]
		if w == anyName {
			w = "*"
			i++ // see call
		}
		if open(w) || w != "*" && strings.Contains(w, "*") {
			return nil, fmt.Errorf("%q: a * matches only whole words", strings.ReplaceAll(w, anyName, "*"))
		}
		words = append(words, w)
	}
	if words[0] == "*" {
		return nil, errors.New("the pattern must name a program")
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

// permittedCommand allows a command if every part of it is allowed. Many agents begin each one by
// going to the session's directory.
func permittedCommand(allowing []*compiled, r Request) Decision {
	parts, none := r.parts(), "the agent gives no command"
	if len(parts) > 0 {
		none = ""
	}
	parts = slices.DeleteFunc(parts, r.stays)
	return permitted(parts, none, func(p part) (*Rule, string) { return r.allowsPart(allowing, p) })
}

// stays reports whether a part only goes to the session's directory.
func (q Request) stays(p part) bool {
	name, known := p.changesDir()
	return known && name != "" && p.unclear == "" && !slices.ContainsFunc(p.dirs, func(dir string) bool { return q.elsewhere(inDir(dir, name)) })
}

// allowsPart finds a rule that allows a part. A rule that names all words allows it in
// the session's directory; otherwise every word must be understood.
func (q Request) allowsPart(allowing []*compiled, p part) (*Rule, string) {
	if p.unclear != "" {
		return nil, p.unclear
	}
	why := ""
	for _, rule := range allowing {
		if !matchWords(rule.words, p.words) {
			continue
		}
		fixed := slices.Index(rule.words, "*")
		if fixed < 0 {
			fixed = len(rule.words)
			if !p.piped && !slices.ContainsFunc(p.dirs, q.elsewhere) {
				return &rule.Rule, ""
			}
		}
		if why = q.understand(p, fixed); why == "" {
			return &rule.Rule, ""
		}
	}
	return nil, why
}

// parts returns the programs that a request would run. Its variables are as if each program
// set them.
func (q Request) parts() []part {
	parts, anywhere := q.programs(), q.anywhere()
	for i := range parts {
		parts[i].dirs = joined(parts[i].dirs, anywhere)
		if p := &parts[i]; len(q.Env) > 0 {
			p.assigns, p.unclear = slices.Concat(q.Env, p.assigns), cmp.Or(p.unclear, unclearAssign)
		}
	}
	return parts
}

// anywhere returns the directories in which each part may be beside those to which it goes: an
// unknown one where something says in which folders cd looks.
func (q Request) anywhere() []string {
	text := strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(strings.Join(slices.Concat(q.Env, q.Args, []string{q.Command}), " "))
	if strings.Contains(text, "CDPATH") {
		return []string{unknownDir}
	}
	return nil
}

func (q Request) programs() []part {
	if q.Args == nil {
		return collect([]string{q.Dir}, q.Command)
	}
	if a := q.Args; len(a) == 3 && isShell(a[0]) && (a[1] == "-c" || a[1] == "-lc" || a[1] == "-ec") {
		return collect([]string{q.Dir}, a[2])
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

// collect returns the programs of a command line for a POSIX shell or bash that runs in one of
// some directories. Anything but a plain program with plain words is unclear.
func collect(dirs []string, command string) []part {
	if len(command) > maxCommand {
		return []part{{words: []string{anyText}, unclear: unclearLong, dirs: dirs}}
	}
	parts := parseShell(dirs, command)
	if hidden(command) {
		for i := range parts {
			parts[i].unclear = unclearHidden
		}
	}
	return parts
}

// parseShell is collect without its bounds.
func parseShell(dirs []string, command string) []part {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return looseParts(command)
	}
	c := &collector{dirs: dirs}
	c.walk(file)
	return c.parts
}

// looseParts returns what may be programs in a command that cannot be parsed: a shell may
// read it otherwise.
func looseParts(command string) []part {
	words := strings.FieldsFunc(command, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(";&|()<>{}`$\"'\\", r) })
	parts := []part{{words: []string{anyText}, unclear: unclearSyntax}}
	for i := range words[:min(len(words), maxUnwrapped)] {
		parts = append(parts, part{words: words[i:], unclear: unclearSyntax})
	}
	return parts
}

// collector gathers the programs of a parsed command. All but parts is about the next one.
type collector struct {
	parts      []part
	unclear    string   // why it is uncertain how it runs
	dirs       []string // where it may run
	piped      bool     // it reads what another writes
	redirected bool     // it does not, because of a redirect
	input      []string // what it may read
}

// walk takes apart the statements below a node, in their order.
func (c *collector) walk(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			done, failed := c.statement(n)
			c.dirs = joined(done, failed)
			return false
		case *syntax.DeclClause: // export, declare: what they name is their words
			words := []string{n.Variant.Value}
			for _, a := range n.Args {
				words = append(words, assignment(a))
			}
			c.add(words...)
		case *syntax.LetClause, *syntax.ArithmCmd, *syntax.TestClause: // "a[$(rm x)]" runs in quotes, too
			words := []string{"let"}
			syntax.Walk(n, func(n syntax.Node) bool {
				if w, ok := n.(*syntax.Word); ok {
					words = append(words, literal(w).String())
				}
				return true
			})
			c.add(words...)
		}
		return true
	})
}

// add adds a program.
func (c *collector) add(words ...string) *part {
	c.parts = append(c.parts, part{words: words, unclear: c.unclear, dirs: c.dirs, piped: c.piped, redirected: c.redirected, input: c.input})
	return &c.parts[len(c.parts)-1]
}

// statement takes apart plain programs, lists and pipes. In anything else it also finds
// every program, so that a denying rule sees it, and marks it as unclear. It returns the
// directories in which the shell may be after the statement, if it succeeds and if it
// fails.
func (c *collector) statement(s *syntax.Stmt) (done, failed []string) {
	before, from := *c, len(c.parts)
	switch {
	case s.Background:
		c.unclear, c.redirected = unclearConstruct, true // from /dev/null
	case !harmlessRedirects(s.Redirs):
		c.unclear = unclearRedirect
	}
	for _, r := range s.Redirs {
		c.input = slices.Concat(c.input, here(r))
		c.redirected = c.redirected || (r.N == nil || r.N.Value == "0") && slices.Contains([]syntax.RedirOperator{syntax.RdrIn, syntax.RdrInOut, syntax.DplIn}, r.Op)
	}
	done, failed = c.dirs, c.dirs
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		c.call(cmd)
		done = c.parts[from].dirsAfter()
	case *syntax.BinaryCmd: // a list or a pipe
		done, failed = c.binary(cmd)
	case nil:
		c.add("")
	default:
		c.unclear = unclearConstruct
		if c.walk(cmd); len(c.parts) == from {
			c.add("")
		}
		done = c.wander(from, before.dirs)
		failed = done
	}
	for _, r := range s.Redirs {
		c.redirect(r)
	}
	c.unclear, c.dirs, c.input, c.redirected = before.unclear, before.dirs, before.input, before.redirected
	if s.Negated {
		return failed, done
	}
	return done, failed
}

// wander sets the directories of parts of which any may change that of any other, and returns
// them.
func (c *collector) wander(from int, all []string) []string {
	for _, p := range c.parts[from:] {
		if name, known := p.changesDir(); known && name == "" {
			continue
		}
		p.dirs = all
		all = joined(all, p.dirsAfter())
	}
	for i := from; i < len(c.parts); i++ {
		c.parts[i].dirs = all
	}
	return all
}

// binary takes apart a list or a pipe of two statements.
func (c *collector) binary(cmd *syntax.BinaryCmd) (done, failed []string) {
	before, piped, redirected, input := c.dirs, c.piped, c.redirected, c.input
	from := len(c.parts)
	done, failed = c.statement(cmd.X)
	switch cmd.Op {
	case syntax.AndStmt:
		c.dirs = done
	case syntax.OrStmt:
		c.dirs = failed
	default:
		c.piped, c.redirected = true, false
		for _, p := range c.parts[from:] {
			c.input = slices.Concat(c.input, p.words, p.input)
		}
		c.dirs = joined(before, joined(done, failed)) // shells differ
	}
	done2, failed2 := c.statement(cmd.Y)
	c.dirs, c.piped, c.redirected, c.input = before, piped, redirected, input
	switch cmd.Op {
	case syntax.AndStmt:
		return done2, joined(failed, failed2)
	case syntax.OrStmt:
		return joined(done, done2), failed2
	}
	all := joined(joined(done, failed), joined(done2, failed2))
	return all, all
}

// call handles one program, and finds programs inside its words.
func (c *collector) call(call *syntax.CallExpr) {
	p := c.add()
	for _, a := range call.Assigns {
		p.unclear = cmp.Or(p.unclear, unclearAssign)
		p.assigns = append(p.assigns, assignment(a))
	}
	for _, w := range call.Args {
		word := literal(w)
		p.unclear = cmp.Or(p.unclear, word.unclear)
		p.words = append(p.words, word.String())
		if word.several {
			p.words = append(p.words, word.String()) // for the others that it may be
		}
	}
	if len(p.words) == 0 {
		p.words = []string{""}
	}
	c.substitutions(call)
}

// substitutions takes apart what runs for a word.
func (c *collector) substitutions(n syntax.Node) {
	unclear, dirs := c.unclear, c.dirs
	c.unclear = unclearExpansion
	c.walk(n)
	c.unclear, c.dirs = unclear, dirs
}

// assignment returns an assignment as NAME=value.
func assignment(a *syntax.Assign) string {
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
			value := word{ownPath: text == "PATH="}
			value.add(w.Parts, false, false)
			text += value.String() + " "
		}
	}
	return strings.TrimSuffix(text, " ")
}

// here returns the text of a here-document or a here-string.
func here(r *syntax.Redirect) []string {
	w := r.Hdoc
	if r.Op == syntax.WordHdoc {
		w = r.Word
	}
	if w == nil {
		return nil
	}
	return []string{literal(w).String()}
}

// The programs of the parts that stand for redirects.
const (
	readRedirect  = "<"
	writeRedirect = ">"
)

// redirect adds a part for a redirect that reads or writes a file.
func (c *collector) redirect(r *syntax.Redirect) {
	c.substitutions(r)
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
	name := literal(r.Word).String()
	c.add(program, name)
	if r.Op == syntax.RdrInOut {
		c.add(readRedirect, name)
	}
}

// word is a word of a command without its quotes, with marks for what is known only when the
// command runs.
type word struct {
	strings.Builder
	// unclear is why it has to run for that, "" if it is known.
	unclear string
	// several means that it may be no word, or more than one.
	several bool
	// unclosed means that a brace or bracket ends in another part of the word.
	unclosed bool
	// ownPath leaves out $PATH, which makes no program another one.
	ownPath bool
}

// pipeName stands for the name of a pipe, which no rule names.
const pipeName = "/dev/fd/63"

func literal(w *syntax.Word) *word {
	out := &word{}
	out.add(w.Parts, len(w.Parts) == 1, false)
	if out.unclosed {
		out.WriteString(anyText)
	}
	return out
}

// add adds parts of a word; alone means that there is only one.
func (w *word) add(parts []syntax.WordPart, alone, quoted bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if quoted {
				w.WriteString(unescaped(p.Value))
			} else {
				w.unquoted(p.Value, alone)
			}
		case *syntax.SglQuoted:
			if !p.Dollar {
				w.WriteString(p.Value)
				continue
			}
			w.unclear = unclearExpansion
			w.WriteString(unescapedC(p.Value))
		case *syntax.DblQuoted:
			if p.Dollar {
				w.unclear = unclearExpansion
			}
			w.add(p.Parts, false, true)
		case *syntax.ProcSubst:
			w.unclear = unclearExpansion
			w.WriteString(pipeName)
		default:
			v, ok := p.(*syntax.ParamExp)
			if ok && (w.ownPath || strings.HasPrefix(w.String(), "PATH=")) && v.Param != nil && v.Param.Value == "PATH" && v.Exp == nil && v.Repl == nil && v.Slice == nil && !v.Excl {
				w.unclear = unclearExpansion
				continue
			}
			w.unclear = unclearExpansion
			w.several = w.several || !quoted || ok && (v.Index != nil || v.Param != nil && v.Param.Value == "@")
			w.WriteString(anyText)
		}
	}
}

// unquoted adds text outside quotes, with marks for its file patterns and braces.
func (w *word) unquoted(value string, alone bool) {
	if w.Len() == 0 && strings.HasPrefix(value, "~") {
		w.unclear = cmp.Or(w.unclear, unclearExpansion)
		w.WriteString(anyText)
		_, below, slash := strings.Cut(value, "/")
		if !slash {
			return
		}
		value = "/" + below
	}
	// "=ls" is the path of ls for zsh
	if w.Len() == 0 && strings.HasPrefix(value, "=") && strings.Trim(value, "=") != "" {
		w.unclear = cmp.Or(w.unclear, unclearExpansion)
	}
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch c {
		case '\\':
			if i++; i < len(value) && value[i] != '\n' {
				w.WriteByte(value[i])
			}
			continue
		case '*', '?', '[', '{':
			w.unclear = cmp.Or(w.unclear, unclearGlob)
		default:
			w.WriteByte(value[i])
			continue
		}
		end, mark := i, anyName
		switch c {
		case '[':
			end = i + strings.IndexByte(value[i:], ']')
		case '{':
			end = i + strings.LastIndexByte(value[i:], '}')
		}
		within, before := value[i:max(i, end)], w.String()
		begins := strings.ReplaceAll(within, `\`, "")
		dotted := (before == "" || strings.HasSuffix(before, "/")) && (strings.Contains(begins, "{.") || strings.Contains(begins, ",.")) // which "*" leaves out
		switch {
		case c == '[' && alone && value == "[", // the program
			c == '{' && end > i && !strings.Contains(within, ",") && !strings.Contains(within, ".."): // "{}", "HEAD@{1}"
			w.WriteByte(value[i])
			continue
		case end < i, c == '{' && (dotted || strings.ContainsAny(within, "/*?[")):
			end, mark, w.unclosed = len(value), anyText, true
		}
		w.several = true
		w.WriteString(mark)
		i = end
	}
}

// unescaped drops backslashes in double quotes as the shell does.
func unescaped(value string) string {
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] == '\\' && i+1 < len(value) && strings.IndexByte("\\$`\"\n", value[i+1]) >= 0 {
			if i++; value[i] == '\n' {
				continue
			}
		}
		b.WriteByte(value[i])
	}
	return b.String()
}

// unescapedC returns text in $'...' with a mark for each escape that Go does not know.
func unescapedC(value string) string {
	var b strings.Builder
	for value != "" {
		c, multibyte, rest, err := strconv.UnquoteChar(value, '\'')
		switch {
		case err != nil || c == 0:
			b.WriteString(anyText)
			value = value[min(len(value), 2):]
			continue
		case c < utf8.RuneSelf || multibyte:
			b.WriteRune(c)
		default:
			b.WriteByte(byte(c)) //nolint:gosec // at most 255
		}
		value = rest
	}
	return b.String()
}

// harmlessRedirects reports whether the redirects touch only other descriptors and
// /dev/null.
func harmlessRedirects(redirects []*syntax.Redirect) bool {
	for _, r := range redirects {
		target := &word{unclear: unclearExpansion}
		if r.Word != nil {
			target = literal(r.Word)
		}
		duplicate := (r.Op == syntax.DplOut || r.Op == syntax.DplIn) && slices.Contains([]string{"0", "1", "2"}, target.String())
		if target.unclear != "" || r.Hdoc != nil || !duplicate && target.String() != "/dev/null" {
			return false
		}
	}
	return true
}
