package policy

import (
	"path"
	"slices"
	"strings"
)

// wrappers run the program that follows their own options.
var wrappers = []string{
	"sudo", "doas", "env", "command", "exec", "builtin", "nohup", "nice", "ionice", "time", "timeout", "stdbuf", "setsid",
	"xargs", "watch", "strace", "ltrace", "chroot", "unshare", "nsenter", "flock", "parallel", "busybox", "script", "systemd-run", "su",
}

// interpreters run a program that is one of their words, or in a file.
var interpreters = []string{
	"sh", "bash", "zsh", "dash", "ksh", "fish", "eval", "source", ".", "python", "pypy", "perl", "ruby", "node", "nodejs", "php",
	"lua", "awk", "gawk", "mawk", "osascript", "pwsh", "powershell", "ssh",
}

// interprets reports whether a name is that of an interpreter, also with a version:
// "python3.12".
func interprets(name string) bool {
	return slices.Contains(interpreters, name) || slices.Contains(interpreters, strings.TrimRight(name, "0123456789.-"))
}

// riskyOptions are words with which an otherwise harmless program runs another, writes
// anywhere, or reads other settings.
var riskyOptions = map[string][]string{
	"find":  {"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"},
	"fd":    {"-x", "--exec", "-X", "--exec-batch"},
	"rg":    {"--pre", "--hostname-bin"},
	"git":   {"-c", "--config-env", "--exec-path", "--upload-pack", "-u", "--receive-pack", "--exec", "--ext-diff", "--textconv", "--output", "-o", "-O", "--open-files-in-pager", "-x", "--extcmd", "--upload-archive", "-C", "--git-dir", "--work-tree"},
	"go":    {"-exec", "-toolexec", "-vettool", "-C", "-modfile", "-overlay"},
	"tar":   {"--to-command", "--checkpoint-action", "-I", "--use-compress-program", "--rsh-command", "-F", "--info-script"},
	"make":  {"-f", "--file", "--makefile", "-C", "--directory", "--eval", "-E"},
	"npm":   {"--prefix", "-C", "--script-shell"},
	"sort":  {"-o", "--output", "--compress-program", "-T"},
	"sed":   {"-i", "--in-place", "-f", "--file", "-e", "--expression"},
	"curl":  {"-o", "--output", "-O", "--remote-name", "-K", "--config", "-T", "--upload-file"},
	"wget":  {"-O", "--output-document", "--use-askpass", "-i", "--input-file", "--post-file"},
	"man":   {"-P", "--pager", "-H", "--html"},
	"less":  {"-o", "-k"},
	"zip":   {"-T", "-TT", "--unzip-command"},
	"rsync": {"-e", "--rsh", "--rsync-path"},
	"cargo": {"--config", "-Z", "--manifest-path", "-C"},
	"tee":   {""},
}

// runsOthers returns the reason against allowing a program with words that a rule does
// not name, or "".
func runsOthers(program string, free []string) string {
	if len(free) == 0 {
		return ""
	}
	name := strings.TrimSuffix(path.Base(program), ".exe")
	if slices.Contains(wrappers, name) || interprets(name) {
		return name + " runs what its words say: a rule must name them all"
	}
	for _, option := range riskyOptions[name] {
		for _, w := range free {
			if isOption(w, option) {
				return name + " " + w + " does more than " + name + " alone"
			}
		}
	}
	if name == "sed" && slices.ContainsFunc(free, func(w string) bool { return strings.ContainsAny(w, "ewrW") && strings.ContainsAny(w, "/;") }) {
		return "a script for sed may run programs and write files"
	}
	return ""
}

// isOption reports whether a word contains an option: alone, with its value after "=",
// or, for a short one, among others or directly followed by its value.
func isOption(word, option string) bool {
	switch {
	case option == "":
		return true
	case word == option, strings.HasPrefix(word, option+"="):
		return true
	case len(option) == 2 && option[0] == '-' && len(word) > 2 && word[0] == '-' && word[1] != '-':
		return strings.IndexByte(word, option[1]) > 0
	case strings.HasPrefix(option, "--") && strings.HasPrefix(word, "--"):
		name, _, _ := strings.Cut(word, "=")
		return len(name) > 3 && strings.HasPrefix(option, name) // abbreviated
	case len(option) > 2 && option[1] != '-': // "-exec", also as "--exec"
		return strings.HasPrefix(strings.TrimPrefix(word, "-"), option) || strings.HasPrefix(word, option)
	}
	return false
}

// maxUnwrapped bounds the programs that are found through one another.
const maxUnwrapped = 512

// unwrap returns the words of a program, and of every program that may be run through
// it: after a wrapper, in a shell's script, or with find -exec. It returns rather too
// many than too few. complete is false if it stopped at the bound.
func unwrap(words []string) (all [][]string, complete bool) {
	u := unwrapper{}
	u.program(words)
	return u.all, len(u.all) < maxUnwrapped
}

type unwrapper struct{ all [][]string }

func (u *unwrapper) program(words []string) {
	if len(words) == 0 || len(u.all) >= maxUnwrapped {
		return
	}
	u.all = append(u.all, words)
	// "git -C dir push" is "git push" too: options, perhaps with values, may precede
	// what matters.
	for i := 2; i < len(words) && len(u.all) < maxUnwrapped && (strings.HasPrefix(words[i-1], "-") || i > 2 && strings.HasPrefix(words[i-2], "-")); i++ {
		if !strings.HasPrefix(words[i], "-") {
			u.all = append(u.all, append([]string{words[0]}, words[i:]...))
		}
	}
	switch name := path.Base(words[0]); {
	case slices.Contains(shells, name) || name == "eval":
		for _, w := range words[1:] {
			for _, p := range commandParts(w) {
				u.program(p.words)
			}
		}
		if name == "eval" {
			u.program(words[1:])
		}
	case slices.Contains(wrappers, name), name == "find", name == "fd":
		for i := 1; i < len(words); i++ {
			if !strings.HasPrefix(words[i], "-") && (i == 1 || !u.listed(words[i:])) {
				u.program(words[i:])
			}
		}
	}
}

// listed reports whether the same words were already listed, by nested wrappers.
func (u *unwrapper) listed(words []string) bool {
	return slices.ContainsFunc(u.all, func(w []string) bool { return len(w) == len(words) && &w[0] == &words[0] })
}
