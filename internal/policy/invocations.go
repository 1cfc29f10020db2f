package policy

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wrappers run the program that follows their own options.
var wrappers = strings.Fields("sudo doas env command exec builtin nohup nice ionice time timeout stdbuf setsid xargs watch strace ltrace chroot unshare nsenter flock parallel busybox script " +
	"systemd-run su toybox setpriv runuser gosu pkexec run0 prlimit setarch linux32 linux64 ssh-agent dbus-run-session start-stop-daemon sg capsh tmux screen numactl choom chrt taskset " +
	"hash unbuffer rlwrap caffeinate fakeroot bwrap firejail xvfb-run")

// wrapper reports whether a program is one of the wrappers, or the system's loader.
func wrapper(name string) bool {
	return slices.Contains(wrappers, name) || strings.HasPrefix(name, "ld-") || name == "ld.so"
}

// maxUnwrapped limits the programs that are found through one another.
const maxUnwrapped = 512

// invocation is a program with its words that a command runs, or may run.
type invocation struct {
	part
	known   *understood
	byName  []string   // words with the program by its name alone
	byLink  [][]string // words with the program by each name that a link leads to
	mayLink [][]string // the same with links that are known only when it runs
	// shortened means that words at the begin are left out. Rules that match it for certain
	// count; what is uncertain is so of all the words.
	shortened bool
	// said means that the agent names the command beside the one that it would run.
	said bool
}

// list lists the programs of a request.
func (q *judged) list() {
	for i, r := range append([]Request{q.Request}, q.Others...) {
		parts, anywhere := r.parts(), r.anywhere()
		for _, p := range parts {
			all, complete := unwrap(p)
			q.tooMany = q.tooMany || !complete
			for _, v := range all {
				v.said, v.byName, v.dirs = i > 0, byName(v.words), joined(v.dirs, anywhere)
				q.programs = append(q.programs, v)
				for _, w := range slices.Concat(v.words, v.assigns) {
					if value, ok := strings.CutPrefix(w, "PATH="); ok && !v.known.harmless {
						q.search = joined(q.search, strings.Split(value, ":"))
					}
				}
			}
		}
	}
	for i := range q.programs {
		v := &q.programs[i]
		link := func(dirs []string) (all [][]string) {
			for _, name := range q.leads(dirs, v.words[0]) {
				all = append(all, byName(append([]string{name}, v.words[1:]...)))
			}
			return all
		}
		if v.mayLink = link(v.dirs); strings.Contains(v.words[0], "/") && !open(v.words[0]) {
			v.byLink = link(slices.DeleteFunc(slices.Clone(v.dirs), open))
		}
	}
}

// leads returns the names to which the links of a program lead, one to the next, other than its
// own. What is searched for may be in each PATH, and what is in an unknown folder in the
// session's directory.
func (q *judged) leads(dirs []string, program string) (names []string) {
	places := []string{program}
	if !strings.Contains(program, "/") {
		places = nil
		for _, folder := range q.search {
			places = append(places, cmp.Or(folder, ".")+"/"+program)
		}
	}
	for _, name := range places {
		in := dirs
		if at := strings.LastIndex(name, anyText); at >= 0 {
			if name[at:] == anyText+"/"+program && name != program { // all of the folder is unknown
				return append(names, anyText)
			}
			_, name, _ = strings.Cut(name[at:], "/")
			in = []string{""}
		}
		for _, dir := range in {
			if open(dir) {
				dir = ""
			}
			p := q.resolve(dir, name)
			for _, to := range append(p.Links, p.Name) {
				if to = path.Base(to); to != path.Base(program) && !slices.Contains(names, to) && !open(name) && name != "" {
					names = append(names, to)
				}
			}
		}
	}
	return names
}

// ran says whether a request runs the command of a rule. It compares programs by name,
// wherever they are.
func (r *compiled) ran(q *judged) answer {
	found := no
	if q.tooMany {
		return yes // the rule's command may be hidden in it; users do not write such commands
	}
	for i := range q.programs {
		v := &q.programs[i]
		switch {
		case matchWords(r.words, v.words), matchWords(r.words, v.byName), slices.ContainsFunc(v.byLink, func(words []string) bool { return matchWords(r.words, words) }):
			return yes
		case found == no && !q.sure && !v.said && q.mayRun(v, r.words):
			found = maybe
		}
	}
	return found
}

// mayRun reports whether a program may be what a pattern names, or run it: for all that is known
// before it runs, or because the words of the pattern are among its own, within them, or in what
// it reads, in their order: `git -c alias.x='!rm y' x`.
func (q *judged) mayRun(v *invocation, pattern []string) bool {
	switch {
	case slices.ContainsFunc(v.mayLink, func(words []string) bool { return matchWords(pattern, words) || mayMatch(pattern, words) }),
		mayMatch(pattern, v.words), mayMatch(pattern, v.byName), v.readsProgram():
		return true
	case v.shortened || v.known.harmless && len(v.assigns) == 0:
		return false
	case slices.ContainsFunc(v.assigns, func(a string) bool {
		name, value, _ := strings.Cut(a, "=")
		return runs(name) && (open(value) || value == pipeName)
	}):
		return true
	}
	var names []string
	for _, text := range slices.Concat(v.words, v.program(), v.assigns) {
		plain := strings.NewReplacer(`"`, "", "'", "").Replace(text)
		for i, form := range []string{text, strings.ReplaceAll(plain, `\`, ""), unescapedC(plain)} {
			for _, token := range pathsIn(form) {
				names = append(names, path.Base(token))
				if i == 1 && strings.Contains(token, "/") {
					names = append(names, q.leads(v.dirs, token)...)
				}
			}
		}
	}
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

// mayMatch reports whether a pattern matches the words before the first unknown one. That
// may be any number of words.
func mayMatch(pattern, words []string) bool {
	for i, w := range words {
		base := path.Base(w)
		switch {
		case i == 0 && open(w) && !open(base) && !(len(words) > 1 && words[1] == w):
			if pattern[0] != "*" && path.Base(pattern[0]) != base {
				return false
			}
		case open(w):
			return true
		case i >= len(pattern) || pattern[i] != "*" && pattern[i] != w:
			return false
		}
	}
	return len(words) > 0 && open(words[0]) // by a folder that is unknown
}

// byName returns words with the program by its name alone. A program of git's is its
// command.
func byName(words []string) []string {
	words = slices.Clone(words)
	words[0] = path.Base(words[0])
	if command, ok := strings.CutPrefix(words[0], "git-"); ok && command != "" {
		words = append([]string{"git", command}, words[1:]...)
	}
	if words[0] == "git" && len(words) > 1 && (words[1] == "send-pack" || words[1] == "http-push") {
		words[1] = "push"
	}
	return words
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
		return fed && !given || len(operands) > 0 && open(operands[0])
	case name == "at", name == "batch", name == "crontab" && (len(operands) == 0 || operands[0] == "-"):
		return fed
	case name == "xargs":
		return slices.ContainsFunc(v.words[1:], replaces)
	case name == "parallel":
		return true
	}
	return false
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

// with returns a part with other words.
func (p part) with(words []string) part {
	p.words = words
	return p
}

// unwrap returns a program, and every program that may be run through it: after a
// wrapper, in a shell's script, or with find -exec. It returns rather too many than too
// few. complete is false if it stopped at the bound.
func unwrap(p part) (all []invocation, complete bool) {
	// listed reports whether nested wrappers have already listed the same words.
	listed := func(words []string) bool {
		return slices.ContainsFunc(all, func(v invocation) bool { return len(v.words) == len(words) && &v.words[0] == &words[0] })
	}
	option := func(word string) bool { return strings.HasPrefix(word, "-") }
	var list func(p part)
	// script lists the programs of a script that a program runs, and more words of the last.
	script := func(p part, text string, more ...string) {
		for _, inner := range collect(p.dirs, text) {
			inner.words = slices.Concat(inner.words, more)
			inner.redirected = inner.redirected || !inner.piped && p.redirected
			inner.piped, inner.unclear = inner.piped || p.piped, cmp.Or(inner.unclear, p.unclear)
			inner.input = slices.Concat(inner.input, p.input)
			list(inner)
		}
	}
	list = func(p part) {
		words := p.words
		if len(words) == 0 || len(all) >= maxUnwrapped {
			return
		}
		name := path.Base(words[0])
		own, finds := words, slices.Contains(finders, name)
		if i := slices.IndexFunc(words, func(w string) bool { return slices.Contains(findRuns, w) }); i > 0 && finds {
			own = words[:i]
		}
		all = append(all, invocation{part: p, known: p.understood(own)})
		// "git -C dir push" is "git push" too: options, perhaps with values, may precede
		// what matters.
		for i := 2; i < len(words) && len(all) < maxUnwrapped && (option(words[i-1]) || i > 2 && option(words[i-2])); i++ {
			if !option(words[i]) {
				short := p.with(append([]string{words[0]}, words[i:]...))
				all = append(all, invocation{part: short, known: short.understood(short.words), shortened: true})
			}
		}
		switch wraps := wrapper(name); {
		case slices.Contains(shells, name) || name == "eval" || name == "trap":
			scripts := words[1:]
			if name == "eval" {
				scripts = append([]string{strings.Join(scripts, " ")}, scripts...)
				list(p.with(words[1:]))
			}
			for i, w := range scripts {
				runs := i == 0 && !slices.Contains(shells, name) || option(words[i]) && strings.HasSuffix(words[i], "c")
				if runs && strings.Contains(w, anyText) { // it may be code
					list(p.with([]string{anyText}))
				}
				script(p, w)
			}
		case wraps, finds:
			if name == "xargs" || name == "parallel" {
				words = append(slices.Clone(words), added...)
			}
			for i := 1; i < len(p.words); i++ {
				inner := words[i:]
				if at := strings.IndexByte(words[i], 'S'); name == "env" && at > 0 && option(words[i]) && words[i][1] != '-' {
					script(p, words[i][at+1:], words[i+1:]...)
				}
				if wraps && strings.ContainsAny(words[i], " \t\n") { // as for "su -c" and "env -S"
					for letters := 0; letters == 0 || option(words[i]) && letters < min(maxBundled, len(words[i])); letters++ {
						script(p, words[i][letters:])
					}
				}
				if name == "env" {
					p.dirs = changed(p.dirs, words[i:])
				}
				from := len(all)
				switch runs := finds && slices.Contains(findRuns, words[i-1]); {
				case option(words[i]):
				case runs:
					inner = append(slices.Clone(inner), added...)
					for j := range inner {
						inner[j] = strings.ReplaceAll(inner[j], "{}", anyText)
					}
					list(p.with(inner))
				case i == 1 || !listed(inner):
					list(p.with(inner))
					for ; from < len(all) && finds; from++ {
						all[from].shortened = true
					}
				}
			}
		}
	}
	list(p)
	return all, len(all) < maxUnwrapped
}

// maxBundled limits the letters of options before a script in the same word: "-qc'rm x'".
const maxBundled = 6

// changed returns the directories after the option of env for one, if words begin with it.
func changed(dirs, words []string) (all []string) {
	option := changes.FindStringSubmatch(strings.Join(words[:min(len(words), 2)], "\n"))
	if option == nil {
		return dirs
	}
	for _, dir := range dirs {
		all = append(all, inDir(dir, option[1]))
	}
	return all
}

var changes = regexp.MustCompile(`^(?:-C\n?|--chdir[=\n])([^\n]+)`)

// added stands for the words that some programs add to those of the program that they run.
var added = []string{anyText, anyText}

// finders run a program with what they find, behind one of findRuns.
var finders = []string{"find", "fd", "fdfind"}

var findRuns = []string{"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}
