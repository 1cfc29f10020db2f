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
			for _, p := range commandParts(w, "") {
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
