package policy

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// usedBy says whether the programs of a request use a file of a rule as the rule is about it:
// for certain if a program that parley knows opens it by name. They may if another program
// names one, or works in a folder that may have one, or if names are known only when it runs.
func (r *compiled) usedBy(q *judged) answer {
	found := no
	if q.tooMany {
		found = maybe
	}
	for _, v := range q.programs {
		u := usage{rule: r, judged: q, invocation: v}
		switch {
		case u.certain():
			return yes
		case found == no && !q.sure && !v.shortened && u.possible(): // of a shortened one, all the words say enough
			found = maybe
		}
	}
	return found
}

// ofPaths says whether a rule is about one of some files, or about one in such a folder.
func (r *compiled) ofPaths(q *judged, paths []Path) answer {
	switch {
	case slices.ContainsFunc(paths, r.matchesPath):
		return yes
	case !q.sure && slices.ContainsFunc(paths, func(p Path) bool { return p.Process || r.within(q, p, SearchAll) }):
		return maybe
	}
	return no
}

// usage is whether a program of a request uses a file of a rule.
type usage struct {
	rule *compiled
	*judged
	invocation
}

// opens reports whether a program opens what words of a kind name as the rule is about it.
func (u usage) opens(kind meaning) bool {
	switch kind {
	case fileValue, pairValue, treeValue:
		return !u.rule.row.changes
	case changeValue, productValue:
		return u.rule.row.changes
	}
	return false
}

func (u usage) certain() bool {
	return u.known.why == "" && slices.ContainsFunc(u.known.words, func(w meant) bool { return u.opens(w.kind) && u.matches(w.text) })
}

func (u usage) possible() bool {
	if slices.ContainsFunc(u.assigns, func(a string) bool {
		_, value, _ := strings.Cut(a, "=")
		return u.contains(value)
	}) {
		return true // whatever it is that reads the variable
	}
	if u.known.why == "" && slices.ContainsFunc(u.known.words, u.opensPossibly) {
		return true
	}
	return u.known.commits && !u.rule.row.changes || !u.known.harmless && u.usesAnything()
}

// opensPossibly is possible for a word of a program that is known.
func (u usage) opensPossibly(w meant) bool {
	switch {
	case u.opens(w.kind):
		return u.mayName(w.text) || u.ofProcess(w.text) || w.kind == treeValue && u.reaches(w.text, SearchVisible) || w.kind == changeValue && u.reaches(w.text, SearchAll)
	case w.kind == revisionValue, w.kind == pathspecValue, w.kind == testValue:
		return !u.rule.row.changes && (u.contains(w.text) || u.mayName(w.text))
	case w.kind == shownValue && (slices.ContainsFunc(u.dirs, u.elsewhere) || !w.after && w.text != "." && !u.resolve("", w.text).Exists && !strings.Contains(w.text, ":")):
		return !u.rule.row.changes // files of another repository, or of a commit
	case w.kind == addedValue, w.kind == shownValue:
		how := SearchAdded
		if w.kind == shownValue {
			how = SearchTracked
		}
		return !u.rule.row.changes && (u.contains(w.text) || u.mayName(w.text) || u.reaches(w.text, how))
	}
	return false
}

// usesAnything is possible for a program that may do anything with what it names.
func (u usage) usesAnything() bool {
	name, _ := systemProgram(u.words[0])
	if slices.Contains(fileless, name) {
		return false
	}
	words := u.words[1:]
	texts := slices.Concat(u.program(), u.assigns)
	if len(words) > 0 && slices.Contains(remote[name], words[0]) && !slices.ContainsFunc(words, verbose.MatchString) {
		return slices.ContainsFunc(words, u.contains)
	}
	several := open(u.words[0]) && len(words) > 0 && words[0] == u.words[0]
	reads, changes := u.worksHere(name)
	switch {
	case several, !u.rule.row.changes && u.contains(u.words[0]), // to run a program changes nothing of it
		slices.ContainsFunc(words, u.contains),
		slices.ContainsFunc(texts, func(text string) bool { return slices.ContainsFunc(pathsIn(text), u.matches) }),
		u.matches("."),
		!u.rule.row.changes && reads || u.rule.row.changes && changes:
		return true
	case u.rule.row.changes && slices.Contains(readers, name):
		return false
	}
	return slices.ContainsFunc(words, func(w string) bool {
		if address.MatchString(w) || w == "." && name == "jq" { // for jq, it is a filter
			return false
		}
		return u.reaches(w, SearchAll) || open(w) && slices.ContainsFunc(append(pathsIn(w), w), u.mayName)
	})
}

var (
	// fileless are programs with unknown options that use no file that their words name.
	fileless = strings.Fields("let test [ printf export declare local readonly typeset read set unset shift return exit kill pkill pgrep ps wait true false : jobs ulimit umask alias type hash cd pushd popd")
	// remote are the commands of programs that use no file of the directory, unless they name it.
	remote = map[string][]string{
		"git": strings.Fields("branch tag remote fetch push config commit init status describe ls-remote symbolic-ref for-each-ref rev-parse rev-list gc version help"),
		"gh":  strings.Fields("pr issue run repo auth"),
	}
	// readers are programs with unknown options that change nothing. They look through their
	// directory unless they name files.
	readers = strings.Fields("grep egrep fgrep rg ag ack jq")
	// The commands of git that change files and show none, and those that show some and change none.
	changingGit = strings.Fields("checkout switch restore reset rebase merge pull cherry-pick revert clean clone worktree submodule mv rm am apply bisect read-tree sparse-checkout")
	showingGit  = strings.Fields("grep cat-file archive show log diff blame annotate shortlog ls-files ls-tree whatchanged range-diff bundle fast-export difftool add")
	// unpackers change files that their words do not name.
	unpackers = strings.Fields("patch unzip cpio 7z")
	// verbose matches options with which git commit and git status show differences.
	verbose = regexp.MustCompile(`^(-\w*v|--verb)`)
	// address matches words that name no file.
	address = regexp.MustCompile(`^(https?://|(localhost|127\.0\.0\.1):)`)
)

// worksHere reports whether a program reads or changes files of the rule in its directory that
// its words do not name.
func (u usage) worksHere(name string) (reads, changes bool) {
	operands := slices.DeleteFunc(slices.Clone(u.words[1:]), func(w string) bool { return strings.HasPrefix(w, "-") })
	first := append(operands, "")[0]
	switch {
	case name == "git" && len(u.words) > 1:
		command := u.words[1]
		shows := command != "stash" || slices.ContainsFunc(u.words, func(w string) bool { return w == "show" || w == "-p" || w == "--patch" })
		creates := (command == "checkout" || command == "switch") && len(u.words) == 4 && slices.Contains([]string{"-b", "-c", "--create"}, u.words[2])
		return shows && !slices.Contains(changingGit, command), !slices.Contains(showingGit, command) && !creates && u.reaches(".", SearchAll)
	case slices.Contains(readers, name) && name != "jq":
		recursive := !strings.HasSuffix(name, "grep") || slices.ContainsFunc(u.words, func(w string) bool {
			return strings.HasPrefix(w, "-") && (strings.ContainsAny(w, "rR") || strings.HasPrefix(w, "--"))
		})
		told := len(operands) > 1 && slices.ContainsFunc(u.dirs, func(dir string) bool { return u.resolve(dir, operands[len(operands)-1]).Exists })
		return recursive && !told && u.reaches(".", SearchAll), false
	case name == "fd" || name == "fdfind" || name == "find" && (len(u.words) == 1 || strings.HasPrefix(u.words[1], "-")): // without a folder
		here := u.reaches(".", SearchAll)
		return here, here
	case slices.Contains(unpackers, name), (name == "tar" || name == "bsdtar") && (strings.Contains(first, "x") || slices.ContainsFunc(u.words, func(w string) bool {
		return strings.HasPrefix(w, "-") && strings.Contains(w, "x") || w == "--get"
	})):
		return false, u.reaches(".", SearchAll)
	}
	return false, false
}

// matches reports whether a word is the name of a file of the rule. One that is partly unknown is
// if its folder is one.
func (u usage) matches(word string) bool {
	return word != "" && !strings.HasPrefix(word, anyText) && slices.ContainsFunc(u.dirs, func(dir string) bool {
		name := word
		if at := strings.IndexAny(name, anyText+anyName); at >= 0 {
			name = path.Dir(name[:at] + "x")
		}
		return u.rule.matchesPath(u.resolve(dir, name))
	})
}

// contains reports whether a word is the name of a file of the rule, or has one in it.
func (u usage) contains(word string) bool {
	return slices.ContainsFunc(append(pathsIn(word), word), func(name string) bool { return u.matches(name) || u.ofProcess(name) })
}

// ofProcess reports whether a word leads through what is another for each process.
func (u usage) ofProcess(word string) bool {
	return slices.ContainsFunc(u.dirs, func(dir string) bool {
		name := inDir(dir, word)
		return strings.Contains(name, "/") && (processes().MatchString(name) || !open(name) && u.resolve("", name).Process)
	})
}

// processes matches paths with marks that may lead through the directory or the root of a process.
var processes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[` + anyText + anyName + `][^/]*/(cwd|root)(/|$)|^/proc/.*[` + anyText + `].*/[^/]*[` + anyName + `]`)
})

// mayName reports whether a word that is partly unknown may name a file of the rule.
func (u usage) mayName(word string) bool {
	return slices.ContainsFunc(u.dirs, func(dir string) bool {
		name := inDir(dir, word)
		return open(name) && (u.mayMeet(name) || processes().MatchString(name))
	})
}

// reaches reports whether a word names a folder that holds a file of the rule, or may do so.
func (u usage) reaches(word string, how SearchMode) bool {
	if word == "" || open(word) && strings.Contains(path.Base(word), ".") { // "*.go" is taken for files
		return false
	}
	return slices.ContainsFunc(u.dirs, func(dir string) bool {
		if name := inDir(dir, word); open(name) {
			return u.mayMeet(name, "**")
		}
		return u.rule.within(u.judged, u.resolve(dir, word), how)
	})
}

// mayMeet reports whether the rule may match what a path with marks leads to, or one below it.
func (u usage) mayMeet(name string, below ...string) bool {
	if u.rule.mayMeet(u.Request, append(u.pattern(name), below...)) {
		return true
	}
	at := strings.LastIndex(name, anyText)
	if u.mayLead(name, at, len(below) > 0) {
		return true
	}
	if at < 0 {
		return false
	}
	names := strings.Split(name[at+len(anyText):], "/")
	for i, n := range names[1:] { // "~/work/x" is x if the session's directory is called so
		if n != "" && !open(n) && u.resolve("", "../"+n).Name == "." {
			rest := slices.DeleteFunc(namesIn(strings.Join(names[i+2:], "/")), func(n string) bool { return n == "" || n == "." })
			return slices.Contains(rest, "..") || u.rule.mayMeet(u.Request, append(rest, below...))
		}
	}
	return false
}

// mayLead is mayMeet for the links that a path with marks may lead through. What comes after any
// text, the last of which is at a place, is tried in the session's directory.
func (u usage) mayLead(name string, at int, below bool) bool {
	if at >= 0 {
		_, name, _ = strings.Cut(name[at+len(anyText):], "/")
	}
	if u.Expand == nil || strings.Trim(name, "./") == "" {
		return false
	}
	found, known := u.expanded[name]
	if !known {
		var ok bool
		if found, ok = u.Expand(strings.ReplaceAll(name, anyName, "*")); !ok {
			found = []Path{{Process: true}}
		}
		if u.expanded == nil {
			u.expanded = map[string][]Path{}
		}
		u.expanded[name] = found
	}
	return slices.ContainsFunc(found, func(p Path) bool {
		return p.Process || u.rule.matchesPath(p) || below && u.rule.within(u.judged, p, SearchAll)
	})
}

// within reports whether a folder holds a file of the rule, or may get one.
func (r *compiled) within(q *judged, folder Path, how SearchMode) bool {
	switch {
	case folder.Above:
		return true
	case !folder.Folder && folder.Name != ".":
		return false
	}
	var names []string
	if folder.Name != "." {
		names = namesIn(folder.Name)
	}
	meets := r.mayMeet(q.Request, append(names, "**"))
	if !meets || r.row.changes || q.Search == nil {
		return meets
	}
	found, ok := q.Search(folder.Name, how, r.matchesPath)
	return found != "" || !ok
}

// pattern returns the names of what a path with marks may lead to, as patterns.
func (q Request) pattern(name string) []string {
	var folder []string
	if at := strings.LastIndex(name, anyText); at >= 0 { // which may lead anywhere with what comes before
		_, name, _ = strings.Cut(name[at+len(anyText):], "/")
		folder = []string{"**"}
	} else {
		at := strings.LastIndexByte(name[:strings.Index(name, anyName)], '/') + 1
		switch where := q.resolve("", cmp.Or(name[:at], ".")); {
		case where.Above, where.Process: // it may lead to the session's directory, of which rules do not have the names
			folder, name = []string{"**"}, name[:at]+path.Base(name)
		case where.Name != ".":
			folder = namesIn(strings.TrimSuffix(where.Name, "/"))
		}
		name = name[at:]
	}
	switch names := namesIn(name); {
	case slices.Contains(names, ".."):
		return []string{"**"}
	case name == "":
		return folder
	default:
		return append(folder, names...)
	}
}

// namesIn returns the names of a path with marks, as patterns.
func namesIn(name string) []string {
	return strings.Split(strings.ReplaceAll(LiteralPattern(strings.ToLower(name)), anyName, "*"), "/")
}
