package policy

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// usesFile reports whether the commands of a request certainly use a file of a rule's pattern
// as the rule is about it.
func (r *Rule) usesFile(q Request) bool {
	return r.anyProgram(q, func(u usage) bool {
		known := q.understood(u.part)
		return known.known && slices.ContainsFunc(known.words, func(w meant) bool { return u.opens(w.kind) && u.named(w.text) })
	})
}

// mayUseFile reports whether the commands of a request may use a file of a rule's pattern as
// the rule is about it: because a program that parley does not know names one, or works in or
// below such a folder, or because the names are known only when it runs.
func (r *Rule) mayUseFile(q Request) bool {
	q.marked = true
	return r.anyProgram(q, usage.maybe)
}

// anyProgram reports whether any program of a request, or too many, use a file.
func (r *Rule) anyProgram(q Request, uses func(usage) bool) bool {
	for _, request := range append([]Request{q}, q.Others...) {
		request.Resolve, request.Search, request.Tracked, request.marked = q.Resolve, q.Search, q.Tracked, q.marked
		for _, p := range request.parts() {
			all, complete := request.unwrap(p)
			if !complete && q.marked {
				return true
			}
			fed := slices.IndexFunc(all, func(v invocation) bool { return slices.Contains(feeders, path.Base(v.words[0])) })
			for i, v := range all {
				if q.marked && v.shortened {
					continue // what is said of all the words is enough
				}
				if q.marked && fed >= 0 && i > fed {
					v.words = append(slices.Clone(v.words), unknownWords)
				}
				if uses(usage{rule: r, request: request, part: v.part, changes: rowOf(r.Kind).changes}) {
					return true
				}
			}
		}
	}
	return false
}

// feeders add words to those of the program that they run.
var feeders = []string{"xargs", "parallel"}

// usage finds out whether a program of a request uses a file of a rule.
type usage struct {
	rule    *Rule
	request Request
	part    part
	changes bool // the rule is about changes
}

// opens reports whether a program opens what words of a kind name as the rule is about it.
func (u usage) opens(kind meaning) bool {
	switch kind {
	case fileValue, pairValue, treeValue:
		return !u.changes
	case changeValue, productValue:
		return u.changes
	}
	return false
}

// maybe is for a request whose unknown words are marked.
func (u usage) maybe() bool {
	known := u.request.understood(u.part)
	if known.known && slices.ContainsFunc(known.words, func(w meant) bool { return u.word(w, known.program) }) {
		return true
	}
	if p := known.printed; p != nil && !u.changes {
		found, ok := u.request.tracked(*p, u.rule.matchesPath)
		if found != "" || !ok || slices.ContainsFunc(u.part.dirs, func(dir string) bool { return !u.request.home(dir) }) {
			return true
		}
	}
	return !known.harmless && u.unknown()
}

// word is maybe for a word of a program that is known.
func (u usage) word(w meant, p *program) bool {
	switch kind := w.kind; kind {
	case fileValue, pairValue, treeValue, changeValue, productValue:
		return u.opens(kind) && (u.mayName(w.text, "") || kind == treeValue && u.reaches(w.text, SearchVisible, "") || kind == changeValue && u.reaches(w.text, SearchAll, ""))
	case revisionValue, pathspecValue, testValue, addedValue:
		return !u.changes && (u.names(w.text) || u.mayName(w.text, "") || kind == addedValue && u.reaches(w.text, SearchAdded, ""))
	case nameValue:
		return false
	}
	// Text may turn out to be several words.
	several := strings.Contains(w.text, unknownWords) || strings.Contains(w.text, unknownName)
	return several && u.opens(p.operands) && u.mayName(w.text, "")
}

// unknown is maybe for a program that may do anything with what it names.
func (u usage) unknown() bool {
	name, _ := systemProgram(u.part.words[0])
	if slices.Contains(fileless, name) {
		return false
	}
	words, glob := u.part.words, ""
	if strings.Contains(words[0], unknownWords) {
		return true
	}
	if len(words) > 1 && slices.Contains(remote[name], words[1]) {
		return slices.ContainsFunc(words, u.names)
	}
	if u.changes {
		words = words[1:] // running a program changes nothing of it
	}
	if name == "find" {
		glob = foundName(words)
	}
	below := !(u.changes && (readsOnly(name) || name == "find" && !u.findChanges()))
	for i, w := range words {
		switch {
		case u.names(w):
			return true
		case i == 0 && !u.changes || address.MatchString(w) || w == "." && (name == "jq" || name == "yq"): // for those, it is a filter
		case below && u.reaches(w, SearchAll, glob):
			return true
		case unknown(w) && slices.ContainsFunc(append(pathsIn(w), w), func(t string) bool { return u.mayName(t, "") }):
			return true
		}
	}
	if u.named(".") || u.worksHere() && u.reaches(".", SearchAll, glob) {
		return true
	}
	return slices.ContainsFunc(slices.Concat(invocation{part: u.part}.program(), u.part.assigns), func(text string) bool {
		return slices.ContainsFunc(pathsIn(text), u.named)
	})
}

// fileless are programs with unknown options that use no file that their words name.
var fileless = strings.Fields("let test [ printf export declare local readonly typeset read set unset shift return exit kill pkill pgrep ps wait true false : jobs ulimit umask alias type hash cd pushd popd")

// remote are the commands of programs that use no file of the directory, unless they name it.
var remote = map[string][]string{
	"git": strings.Fields("branch tag remote fetch push config commit init status describe ls-remote symbolic-ref for-each-ref rev-parse rev-list gc version help"),
	"gh":  strings.Fields("pr issue run repo auth"),
}

// findChanges reports whether find may change the files that it finds.
func (u usage) findChanges() bool {
	for i, w := range u.part.words {
		switch {
		case slices.Contains([]string{"-delete", "-fprint", "-fprint0", "-fprintf", "-fls"}, w):
			return true
		case slices.Contains(findRuns, w):
			run := u.request.understood(u.part.with(u.part.words[i+1:]))
			if !run.harmless || run.program.operands == changeValue {
				return true
			}
		}
	}
	return false
}

// readsOnly reports whether a program with unknown options changes nothing.
func readsOnly(name string) bool {
	return slices.Contains([]string{"grep", "egrep", "fgrep", "rg", "ag", "ack", "jq"}, name)
}

// address matches words that name no file.
var address = regexp.MustCompile(`^(https?://|(localhost|127\.0\.0\.1):)`)

// The commands of git that change files and print none, and those that print some and change none.
var (
	changingGit = strings.Fields("checkout switch restore reset rebase merge pull cherry-pick revert clean clone worktree submodule mv rm am apply bisect read-tree sparse-checkout")
	printingGit = strings.Fields("grep cat-file archive show log diff blame annotate shortlog ls-files ls-tree whatchanged range-diff bundle fast-export difftool add")
)

// worksHere reports whether a program uses files of its directory that it is not told of, as
// the rule is about it.
func (u usage) worksHere() bool {
	words := u.part.words
	name, _ := systemProgram(words[0])
	operands := slices.DeleteFunc(slices.Clone(words[1:]), func(w string) bool { return strings.HasPrefix(w, "-") })
	has := func(letters string, long ...string) bool {
		return slices.ContainsFunc(words[1:], func(w string) bool {
			return len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.ContainsAny(w, letters) || slices.Contains(long, w)
		})
	}
	told := func() bool { // of files to search, behind the text
		return len(operands) > 1 && slices.ContainsFunc(u.part.dirs, func(dir string) bool { return u.request.resolve(dir, operands[len(operands)-1]).Exists })
	}
	switch name {
	case "git":
		switch {
		case len(words) < 2:
			return false
		case u.changes:
			creates := (words[1] == "checkout" || words[1] == "switch") && len(words) == 4 && slices.Contains([]string{"-b", "-c", "--create"}, words[2])
			return !slices.Contains(printingGit, words[1]) && !creates
		case words[1] == "stash":
			return has("p", "show", "--patch")
		}
		return !slices.Contains(changingGit, words[1])
	case "ag", "ack", "rg":
		return !u.changes && !told()
	case "fd", "fdfind":
		return true
	case "find": // without a folder
		return len(words) == 1 || strings.HasPrefix(words[1], "-")
	case "grep", "egrep", "fgrep":
		return !u.changes && has("rR", "--recursive", "--dereference-recursive") && !told()
	case "patch", "unzip", "cpio", "7z":
		return u.changes
	case "tar", "bsdtar":
		return u.changes && len(words) > 1 && (strings.Contains(strings.TrimLeft(words[1], "-"), "x") || has("x", "--get"))
	}
	return false
}

// foundName returns the pattern that all the names have that find looks for, "" if that is
// uncertain.
func foundName(words []string) string {
	name := ""
	for i, w := range words {
		switch {
		case slices.Contains([]string{"-o", "-or", "!", "-not", ",", "(", ")"}, w):
			return ""
		case (w == "-name" || w == "-iname") && i+1 < len(words) && !unknown(words[i+1]):
			name = words[i+1]
		}
	}
	return name
}

// named reports whether a word is the name of a file of the rule.
func (u usage) named(name string) bool {
	return name != "" && !unknown(name) && slices.ContainsFunc(u.part.dirs, func(dir string) bool {
		return u.rule.matchesPath(u.request.resolve(dir, name))
	})
}

// names reports whether a word is the name of a file of the rule, or has one in it.
func (u usage) names(word string) bool {
	return u.named(word) || slices.ContainsFunc(pathsIn(word), u.named)
}

// mayName reports whether a word of which parts are unknown may turn out to be the name of a
// file of the rule, or of one with a name below it.
func (u usage) mayName(word, below string) bool {
	if word == unknownPipe {
		return false
	}
	return slices.ContainsFunc(u.part.dirs, func(dir string) bool {
		where := word
		switch {
		case dir == unknownDir && u.request.marked && !path.IsAbs(word):
			where = unknownText + "/" + word
		case !unknown(word):
			return false
		}
		return slices.ContainsFunc(u.request.shapes(dir, where), func(s shape) bool { return u.meets(append(s, globShape(below)...)) })
	})
}

// meets reports whether a file of the rule may have a name of a shape.
func (u usage) meets(name shape) bool {
	return slices.ContainsFunc(u.request.shapesOf(u.rule), func(s shape) bool { return s.meets(name) })
}

// reaches reports whether a word names a folder that holds a file of the rule, with a name of
// a pattern if that is not "", or may do so.
func (u usage) reaches(name string, how SearchMode, glob string) bool {
	below := "/**"
	if glob != "" {
		below = "/**/" + glob
	}
	switch {
	case name == "":
		return false
	case unknown(name): // "*.go" is taken for files
		return (strings.Contains(name, unknownText) || !strings.Contains(path.Base(name), ".")) && u.mayName(name, below)
	}
	return slices.ContainsFunc(u.part.dirs, func(dir string) bool {
		if dir == unknownDir && u.request.marked && !path.IsAbs(name) {
			return u.mayName(name, below)
		}
		where := u.request.resolve(dir, name)
		return u.rule.below(u.request, where, how, below, u.changes)
	})
}

// below reports whether a folder holds a file of the rule whose path below it has a pattern,
// or may get one.
func (r *Rule) below(q Request, folder Path, how SearchMode, pattern string, changes bool) bool {
	switch {
	case folder.Above:
		return true
	case !folder.Folder && folder.Name != ".":
		return false
	}
	reached := literalShape(folder.Name + "/")
	if folder.Name == "." {
		reached = nil
	}
	meets := false
	for _, glob := range alternatives(strings.TrimPrefix(pattern, "/")) {
		reached := append(slices.Clone(reached), globShape(glob)...)
		meets = meets || slices.ContainsFunc(q.shapesOf(r), func(s shape) bool { return s.meets(reached) })
	}
	if !meets || changes || q.Search == nil {
		return meets
	}
	found, ok := q.search(folder.Name, how, r.matchesPath)
	return found != "" || !ok
}

// reachesPaths reports whether a request is about a folder that holds a file of the rule.
func (r *Rule) reachesPaths(q Request) bool {
	return r.aboutFilesOf(q) && slices.ContainsFunc(q.Paths, func(p Path) bool { return r.below(q, p, SearchAll, "/**", rowOf(r.Kind).changes) })
}

// aboutFilesOf reports whether a rule for files is about the paths of a request. A search reads
// files.
func (r *Rule) aboutFilesOf(q Request) bool {
	return r.Kind == q.Kind || r.Kind == Read && q.Kind == Search && r.Pattern != ""
}
