package sandbox

import (
	"errors"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

var backends = []backend{{"sandbox-exec", seatbelt}}

// seatbelt runs programs under a macOS sandbox profile.
func seatbelt(b Bounds, _ []string) (*Sandbox, error) {
	program, err := exec.LookPath("sandbox-exec")
	if err != nil {
		return nil, errors.New("sandbox-exec is not installed")
	}
	profile := profileOf(b)
	if err := exec.Command(program, "-p", profile, "/usr/bin/true").Run(); err != nil {
		return nil, err
	}
	return &Sandbox{wrap: func(name string, args []string) (string, []string) {
		return program, append([]string{"-p", profile, name}, args...)
	}, hides: func(path string) bool {
		return within(path, slices.Concat(b.Hide, b.Private))
	}}, nil
}

// profileOf returns the profile that enforces the bounds. The last rule that matches a path wins.
func profileOf(b Bounds) string {
	var p strings.Builder
	p.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n(allow file-write* (subpath \"/dev\"))\n")
	rule := func(verb, what string, paths []string) {
		for _, path := range paths {
			kind := "literal"
			if isDir(path) {
				kind = "subpath"
			}
			p.WriteString("(" + verb + " " + what + " (" + kind + " " + strconv.Quote(path) + "))\n")
		}
	}
	// The innermost path decides, and what is hidden rather than what is writable.
	for _, path := range resolved(slices.Concat(b.Write, []string{b.Temp}, b.Hide)) {
		verb := "allow"
		if slices.Contains(b.Hide, path) {
			verb = "deny"
		}
		rule(verb, "file-read* file-write*", []string{path})
	}
	rule("deny", "file-write*", b.Keep)
	for _, path := range slices.Concat(b.NoDirs, slices.Collect(maps.Keys(b.NoFiles))) {
		p.WriteString("(deny file-write* (subpath " + strconv.Quote(path) + "))\n")
	}
	for _, path := range b.Keep {
		for _, dir := range b.leading(path) {
			p.WriteString("(deny file-write-unlink (literal " + strconv.Quote(dir) + "))\n")
		}
	}
	// Last, so that nothing above opens them.
	for _, path := range b.Private {
		p.WriteString("(deny file-read* file-write* network* (subpath " + strconv.Quote(path) + "))\n")
	}
	if b.Offline {
		p.WriteString("(deny network*)\n")
	}
	return p.String()
}
