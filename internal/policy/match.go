package policy

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"
)

// checkPattern refuses patterns that cannot match, or match something else than they
// seem to.
func (r Rule) checkPattern() error {
	if r.Pattern == "" {
		return nil
	}
	switch r.Kind {
	case Execute:
		_, err := patternWords(r.Pattern)
		return err
	case Fetch:
		if strings.ContainsAny(r.Pattern, "/: ") || strings.Contains(strings.TrimPrefix(r.Pattern, "*."), "*") {
			return fmt.Errorf("%q is not a host: write example.com, or *.example.com for those below it", r.Pattern)
		}
		if strings.ContainsFunc(r.Pattern, func(c rune) bool { return c > unicode.MaxASCII }) {
			return fmt.Errorf("%q matches nothing: write the host in ASCII, as in xn--bcher-kva.example", r.Pattern)
		}
		return nil
	case MCP:
		if !doublestar.ValidatePattern(r.Pattern) {
			return fmt.Errorf("%q is no pattern", r.Pattern)
		}
		return nil
	}
	if !doublestar.ValidatePattern(r.Pattern) {
		return fmt.Errorf("%q is not a pattern: ** stands for any folders, * for anything in a name", r.Pattern)
	}
	if strings.HasPrefix(r.Pattern, "~") || r.Pattern == ".." || strings.HasPrefix(r.Pattern, "../") || path.Clean(r.Pattern) != strings.TrimSuffix(strings.TrimPrefix(r.Pattern, "./"), "/") {
		return errors.New("write the path relative to the session's directory, without . and .. in it, or absolute")
	}
	return nil
}

// matchPath matches a whole path, or everything below a named folder.
func matchPath(pattern, name string) bool {
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
	if ok, _ := doublestar.Match(pattern, name); ok {
		return true
	}
	ok, _ := doublestar.Match(pattern+"/**", name)
	return ok
}

// matchPathLoosely is matchPath for rules that deny or ask. It ignores case, because
// some systems do.
func matchPathLoosely(pattern, name string) bool {
	return matchPath(pattern, name) || matchPath(strings.ToLower(pattern), strings.ToLower(name))
}

// literalPattern returns the pattern that matches only the given path.
func literalPattern(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(name)
}

func matchName(pattern, name string) bool {
	ok, _ := doublestar.Match(pattern, name)
	return ok && name != ""
}

// matchHost matches the host of an http or https URL: exactly, or below a domain in a
// pattern with "*.". It matches no host with other characters than those of DNS, because
// programs may read them differently: a full-width slash ends a host for some. Others
// are written as "xn--".
func matchHost(pattern, address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if strings.ContainsFunc(host, func(c rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789.-_:", c) }) {
		return false
	}
	pattern = strings.ToLower(pattern)
	if below, ok := strings.CutPrefix(pattern, "*."); ok {
		return strings.HasSuffix(host, "."+below)
	}
	return host != "" && host == pattern
}
