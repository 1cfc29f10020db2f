package policy

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// unknownDir stands for a directory that is known only when the command runs.
const unknownDir = "\x00"

// maxDirs bounds the directories in which a part of a command may run.
const maxDirs = 16

var (
	number = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?[a-zA-Z]{0,3}$`)
	digits = regexp.MustCompile(`^-[0-9]+$`)
	target = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)
	prints = regexp.MustCompile(`^ *([0-9]+|\$)(,([0-9]+|\$))?[pdq=]( *; *([0-9]+|\$)(,([0-9]+|\$))?[pdq=])*;? *$`)
)

// known returns the description of a program, and how many words choose it. It returns
// nil if there is none, and one with commands if the words choose none of them.
func known(words []string) (p *program, chosen int) {
	name := words[0]
	if dir, base := path.Split(name); slices.Contains(shellFolders, path.Clean(dir)) {
		name = base
	}
	p, chosen = programs()[name], 1
	for p != nil && p.commands != nil && chosen < len(words) {
		p = p.commands[words[chosen]]
		chosen++
	}
	return p, chosen
}

// unknownOptions says that nothing is known about a program, and its command.
func unknownOptions(words []string) string {
	return fmt.Sprintf("parley does not know the options of %s: only a rule that names the whole command allows it", strings.Join(words, " "))
}

// understand returns the reason why a part must be asked about although a rule matches
// it with a star, or "". named is the number of words before the star.
func (q Request) understand(p part, named int) string {
	prog, chosen := known(p.words)
	if prog == nil || prog.commands != nil {
		return unknownOptions(p.words[:chosen])
	}
	for _, dir := range p.dirs {
		switch {
		case !q.inside(dir):
			return "it would run outside the session's directories"
		case prog.repository && !(q.home(dir) && q.resolve("", ".git").Exists):
			return p.words[0] + " would run outside the session's directory, or it has no .git"
		}
	}
	if prog.anything {
		return ""
	}
	u := understanding{request: q, part: p, program: prog, chosen: chosen, named: named}
	return u.words(p.words[chosen:])
}

// understanding goes through the words of a part.
type understanding struct {
	request       Request
	part          part
	program       *program
	chosen, named int
	without       bool // there is an option of program.unlessFirst
}

func (u *understanding) words(words []string) string {
	type operand struct {
		at   int
		text string
	}
	var operands []operand
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--" && !u.program.longNames:
			for i++; i < len(words); i++ {
				operands = append(operands, operand{i, words[i]})
			}
			continue
		case len(w) < 2 || w[0] != '-':
			operands = append(operands, operand{i, w})
			continue
		}
		value, kind, ok := u.option(w)
		switch {
		case !ok:
			return u.name() + " " + w + " is not known to be harmless"
		case kind == noValue:
			continue
		case value == "":
			if i++; i == len(words) {
				return u.name() + " " + w + " needs a value"
			}
			value = words[i]
		}
		if why := u.value(kind, value, true); why != "" {
			return why
		}
	}
	if u.program.maxOperands > 0 && len(operands) > u.program.maxOperands {
		return u.name() + " with so many arguments is unknown to parley"
	}
	for i, o := range operands {
		kind := u.program.operands
		if i == 0 && u.program.first != noValue && !u.without {
			kind = u.program.first
		}
		passed := kind == textValue && u.program.first == noValue && strings.HasPrefix(o.text, "-") // behind "--": an option for another program
		if passed || kind == noValue && u.chosen+o.at >= u.named {
			return u.name() + " " + o.text + " is not known to be harmless"
		}
		byRule := u.chosen+o.at < u.named || u.named <= u.chosen
		if why := u.value(kind, o.text, byRule); why != "" {
			return why
		}
	}
	return ""
}

func (u *understanding) name() string { return strings.Join(u.part.words[:u.chosen], " ") }

// option returns the kind of the value of a word with options, and the value if the word
// contains it.
func (u *understanding) option(w string) (value string, kind valueKind, ok bool) {
	find := func(name string) (valueKind, bool) {
		kind, ok := u.program.options[name]
		u.without = u.without || slices.Contains(u.program.unlessFirst, name)
		return kind, ok
	}
	if _, numbers := u.program.options["-#"]; numbers && digits.MatchString(w) {
		return "", noValue, true
	}
	if u.program.longNames || strings.HasPrefix(w, "--") {
		name, value, valued := strings.Cut(w, "=")
		kind, ok := find(name)
		switch {
		case !ok || kind == noValue && valued || kind > optionalValue && valued && value == "":
			return "", 0, false
		case kind == optionalValue:
			return "", noValue, true
		}
		return value, kind, true
	}
	for i, c := range w[1:] {
		kind, ok := find("-" + string(c))
		switch {
		case !ok:
			return "", 0, false
		case kind == optionalValue:
			return "", noValue, true
		case kind != noValue:
			return w[1+i+len(string(c)):], kind, true
		}
	}
	return "", noValue, true
}

// value returns what speaks against a word of a kind, or "". byRule means that the rule
// leaves no doubt about a target: it names it, or names no target at all.
func (u *understanding) value(kind valueKind, text string, byRule bool) string {
	ok := true
	switch kind {
	case numberValue:
		ok = number.MatchString(text)
	case targetValue:
		ok = target.MatchString(text) && byRule
	case scriptValue:
		ok = prints.MatchString(text)
	case formatValue:
		ok = strings.HasPrefix(text, "+")
	case fileValue, outputValue:
		return u.file(kind, text)
	case testValue:
		name, _, _ := strings.Cut(text, "::")
		if strings.HasPrefix(name, "@") {
			ok = false // pytest reads more words from that file
			break
		}
		return u.file(fileValue, name)
	case revisionValue:
		revision, name, both := strings.Cut(text, ":")
		if revision == "" || strings.Contains(name, ":") {
			ok = false // ":(glob)*", ":/text", "HEAD^{/a:b}:file"
			break
		}
		if why := u.file(fileValue, revision); why != "" || !both {
			return why
		}
		return u.file(fileValue, name)
	}
	if !ok {
		return u.name() + " " + text + " is not known to be harmless"
	}
	return ""
}

// file returns what speaks against a file in one of the directories where the part may
// run.
func (u *understanding) file(kind valueKind, name string) string {
	if name == "-" || name == "/dev/null" {
		return ""
	}
	for _, dir := range u.part.dirs {
		p := u.request.resolve(dir, name)
		switch {
		case !p.Inside:
			return name + " is outside the session's directories"
		case p.Own || p.Secret != "" || kind == outputValue && p.Runs != "":
			return name + " is sensitive"
		}
	}
	return ""
}

// resolve returns where a path leads that is written relative to a directory.
func (q Request) resolve(dir, name string) Path {
	if q.Resolve == nil || dir == unknownDir {
		return Path{Name: name}
	}
	if dir != "" && !filepath.IsAbs(name) && filepath.VolumeName(name) == "" && !strings.HasPrefix(name, "~") && !strings.HasPrefix(name, "$") {
		name = dir + "/" + name
	}
	return q.Resolve(name)
}

// home reports whether a directory is that of the session.
func (q Request) home(dir string) bool {
	p := Path{Name: ".", Inside: true}
	if dir != "" {
		p = q.resolve("", dir)
	}
	return dir != unknownDir && p.Inside && p.Name == "."
}

func (q Request) inside(dir string) bool {
	return dir == "" || dir != unknownDir && q.resolve("", dir).Inside
}

// below returns the directory to which "cd name" leads from another.
func below(dir, name string) string {
	switch {
	case dir == "" || path.IsAbs(name):
		return name
	case dir == unknownDir:
		return dir
	}
	return dir + "/" + name
}

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
