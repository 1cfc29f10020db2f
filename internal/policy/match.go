package policy

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// checkPattern refuses patterns that cannot match, or not what they seem to.
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
			return fmt.Errorf("%q is no host: write example.com, or *.example.com for those below it", r.Pattern)
		}
		return nil
	case MCP:
		if !doublestar.ValidatePattern(r.Pattern) {
			return fmt.Errorf("%q is no pattern", r.Pattern)
		}
		return nil
	}
	if !doublestar.ValidatePattern(r.Pattern) {
		return fmt.Errorf("%q is no pattern: ** stands for any folders, * for anything in a name", r.Pattern)
	}
	if strings.HasPrefix(r.Pattern, "~") || r.Pattern == ".." || strings.HasPrefix(r.Pattern, "../") || path.Clean(r.Pattern) != strings.TrimSuffix(strings.TrimPrefix(r.Pattern, "./"), "/") {
		return errors.New("write the path relative to the session's directory, without . and .. in it, or absolute")
	}
	return nil
}

// matchPath matches a whole path, or everything below a folder that is named.
func matchPath(pattern, name string) bool {
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
	if ok, _ := doublestar.Match(pattern, name); ok {
		return true
	}
	ok, _ := doublestar.Match(pattern+"/**", name)
	return ok
}

func matchName(pattern, name string) bool {
	ok, _ := doublestar.Match(pattern, name)
	return ok && name != ""
}

// matchHost matches the host of an http or https address: whole, or those below
// a domain that the pattern names by "*.".
func matchHost(pattern, address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	pattern = strings.ToLower(pattern)
	if below, ok := strings.CutPrefix(pattern, "*."); ok {
		return strings.HasSuffix(host, "."+below)
	}
	return host != "" && host == pattern
}
