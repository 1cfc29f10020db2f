package toolview

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// harmful are programs that delete things or gain privileges. A title that claims to
// only look at something, or names another program, hides them.
var harmful = strings.Fields(`rm rmdir unlink shred dd mv chmod chown kill pkill killall sudo su doas truncate wipefs reboot shutdown nc ssh scp`)

// looking matches the beginning of titles that claim to change nothing.
var looking = regexp.MustCompile(`^(?i:read|reading|list|lists|listing|show|shows|search|searching|view|look|check|print|display|find|count|grep|cat|get)\b`)

// hidesHarm reports whether a title claims to only look, or names another command,
// while the command runs a harmful program that the title does not name.
func hidesHarm(title, line string) bool {
	said := title
	if m := runs().FindStringSubmatch(title); m != nil {
		said = m[1]
	}
	if !looking.MatchString(title) && !known(bare(said)) {
		return false
	}
	named := strings.FieldsFunc(title, func(r rune) bool { return strings.ContainsRune(" \t\n`'\"|;&(),", r) })
	return slices.ContainsFunc(programsIn(line, 0), func(p string) bool {
		return slices.Contains(harmful, p) && !slices.Contains(named, p)
	})
}

// programsIn returns the names of the programs that a command runs, as far as it can be
// parsed.
func programsIn(line string, depth int) []string {
	const deepest = 3
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil || depth > deepest {
		return nil
	}
	var all []string
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			words := make([]string, len(call.Args))
			for i, arg := range call.Args {
				words[i] = literalWord(arg)
			}
			all = append(all, programsOf(words, depth)...)
		}
		return true
	})
	return all
}

// programsOf returns the programs that the words of a command run: the first, and the
// one that it is told to run.
func programsOf(words []string, depth int) []string {
	var all []string
	for i, word := range words {
		if strings.HasPrefix(word, "-") || i > 0 && strings.Contains(word, "=") {
			continue
		}
		name := filepath.Base(word)
		all = append(all, name)
		switch name {
		case "sudo", "doas", "env", "xargs", "nohup", "time", "command", "exec", "nice", "timeout", "busybox":
			continue // the program follows it
		case "bash", "sh", "zsh", "dash":
			for j := i + 1; j+1 < len(words); j++ {
				if strings.HasPrefix(words[j], "-") && strings.HasSuffix(words[j], "c") {
					return append(all, programsIn(words[j+1], depth+1)...)
				}
			}
		case "find":
			for j := i + 1; j+1 < len(words); j++ {
				if words[j] == "-exec" || words[j] == "-execdir" {
					all = append(all, filepath.Base(words[j+1]))
				}
			}
		}
		break
	}
	return all
}

// literalWord returns the literal text of a word, without expansions.
func literalWord(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				if lit, ok := inner.(*syntax.Lit); ok {
					b.WriteString(lit.Value)
				}
			}
		}
	}
	return b.String()
}
