package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// boundTo finds in a line of /proc/net/unix the path that a socket was bound to. An
// abstract socket's name, which is no path, begins with "@".
var boundTo = regexp.MustCompile(`^[0-9a-f]+: (?:[0-9A-F]+ +){5} *\d+ ([^@\n][^\n]*)`)

// sockets returns the resolved paths of the Unix sockets of this machine that have been
// bound, and of those beside them: a socket may have been renamed since, as those of ssh
// are.
func sockets() ([]string, error) {
	table, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil, fmt.Errorf("list the Unix sockets: %w", err)
	}
	var found []string
	dirs := map[string]bool{}
	for line := range strings.Lines(string(table)) {
		m := boundTo.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		paths := []string{m[1]}
		if !filepath.IsAbs(m[1]) {
			// The system does not keep from where. Any directory with such a socket will do.
			paths = nil
			for _, dir := range workingDirectories() {
				paths = append(paths, filepath.Join(dir, m[1]))
			}
		}
		for _, p := range paths {
			found = append(found, p) // its directory may not be readable
			dirs[filepath.Dir(p)] = true
		}
	}
	for dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return resolved(slices.DeleteFunc(found, func(p string) bool { return !isSocket(p) })), nil
}

// workingDirectories returns those of all processes that this user may see into.
func workingDirectories() []string {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd") // the pattern is valid
	var dirs []string
	for _, link := range links {
		if dir, err := os.Readlink(link); err == nil && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// isSocket reports whether a path leads to a Unix socket.
func isSocket(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Type() == os.ModeSocket
}
