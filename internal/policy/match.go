package policy

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/net/idna"
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
		return nil
	case MCP:
		if !doublestar.ValidatePattern(r.Pattern) {
			return fmt.Errorf("%q is not a pattern", r.Pattern)
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

// Futile returns the reason why a rule can never allow anything, or "".
func (r Rule) Futile() string {
	words, err := patternWords(r.Pattern)
	star := slices.Index(words, "*")
	if r.Verdict != Allow || r.Kind != Execute || err != nil || star < 1 {
		return ""
	}
	if p, chosen := known(words[:star]); p == nil {
		return unknownOptions(words[:chosen])
	}
	return ""
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

// matchHost matches the host of an http or https URL: exactly, or below a domain in a
// pattern with "*.". Unless loosely, it matches no host with other characters than those
// of DNS, because programs may read them differently: a full-width slash ends a host for
// some.
func matchHost(pattern, address string, loosely bool) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	plain := !strings.ContainsFunc(host, func(c rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789.-_:", c) })
	if !plain && !loosely {
		return false
	}
	host = asciiHost(host)
	if below, ok := strings.CutPrefix(pattern, "*."); ok {
		return strings.HasSuffix(host, "."+asciiHost(below))
	}
	return host != "" && host == asciiHost(pattern)
}

// asciiHost returns a host as DNS writes it, "xn--bcher-kva.example" for bücher.example.
// It returns other texts in lower case.
func asciiHost(host string) string {
	host = strings.ToLower(host)
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		return ascii
	}
	return host
}
