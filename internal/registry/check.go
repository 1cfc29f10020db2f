package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Patterns for the parts of an entry. Id and version become directory names. A package
// must not begin with "-" or be a URL or path, which npx and uvx would accept too.
var (
	idForm      = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	versionForm = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.+_-]*$`)
	npmForm     = regexp.MustCompile(`^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*(@[0-9][0-9A-Za-z.+-]*)?$`)
	pypiForm    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9,._-]+\])?((==|@)[0-9][0-9A-Za-z.+!-]*)?$`)
	programForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)
	envForm     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

const (
	maxName = 64   // bytes of an id or a version; a bound in an expression is slow to compile
	maxText = 4096 // bytes of one text
	maxArgs = 100
)

func isID(s string) bool { return len(s) <= maxName && idForm.MatchString(s) }

// check returns what is wrong with an entry, or nil.
func (e Entry) check() error {
	switch {
	case !isID(e.ID):
		return errors.New("its id may only have lowercase letters, digits and hyphens")
	case len(e.Version) > maxName || !versionForm.MatchString(e.Version):
		return errors.New("its version is invalid")
	case strings.TrimSpace(e.Name) == "":
		return errors.New("it has no name")
	}
	texts := append([]string{e.Name, e.Description, e.License, e.Repository, e.Website, e.LicenseURL}, e.Authors...)
	if i := slices.IndexFunc(texts, func(s string) bool { return !plain(s) }); i >= 0 {
		return errors.New("a text is too long or has control characters")
	}
	return e.Distribution.check()
}

// plain reports whether a text can be shown on one line, and be an argument.
func plain(s string) bool {
	return len(s) <= maxText && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

func (d Distribution) check() error {
	if len(d.Binary) == 0 && d.NPX == nil && d.UVX == nil {
		return errors.New("it has no distribution that parley supports")
	}
	for platform, t := range d.Binary {
		if err := t.check(); err != nil {
			return fmt.Errorf("the program for %.40q: %w", platform, err)
		}
	}
	if d.NPX != nil {
		if err := d.NPX.check(npmForm); err != nil {
			return fmt.Errorf("the package of npx: %w", err)
		}
	}
	if d.UVX != nil {
		if err := d.UVX.check(pypiForm); err != nil {
			return fmt.Errorf("the package of uvx: %w", err)
		}
	}
	return nil
}

func (t Target) check() error {
	if err := checkAddress(t.Archive); err != nil {
		return err
	}
	if sum, err := hex.DecodeString(t.SHA256); err != nil || len(sum) != sha256.Size && t.SHA256 != "" {
		return errors.New("its digest is not 64 hexadecimal digits")
	}
	if _, err := programIn(t.Cmd); err != nil {
		return err
	}
	return checkCommand(t.Args, t.Env)
}

func (p Package) check(form *regexp.Regexp) error {
	if len(p.Package) > 300 || !form.MatchString(p.Package) {
		return fmt.Errorf("%.80q is not a package with a fixed version", p.Package)
	}
	if p.Cmd != "" && !programForm.MatchString(p.Cmd) {
		return fmt.Errorf("%.80q is not a program in a package", p.Cmd)
	}
	return checkCommand(p.Args, p.Env)
}

func checkCommand(args []string, env map[string]string) error {
	if len(args) > maxArgs || len(env) > maxArgs {
		return fmt.Errorf("it has more than %d arguments or variables", maxArgs)
	}
	for _, a := range args {
		if !plain(a) {
			return errors.New("it has an argument that is too long, or has control characters")
		}
	}
	for name, value := range env {
		if !envForm.MatchString(name) || !plain(value) {
			return errors.New("it has a variable that cannot be set")
		}
	}
	return nil
}

// checkAddress checks a URL for downloads.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || !plain(address) || u.Host == "":
		return errors.New("its address is invalid")
	case u.Scheme != "https":
		return fmt.Errorf("its address begins with %.20q: only https is allowed", u.Scheme+":")
	case u.User != nil:
		return errors.New("its address contains a user name")
	}
	if ext := path.Ext(u.Path); slices.Contains(installers, strings.ToLower(ext)) {
		return fmt.Errorf("it is an installer (%s), which parley does not run", ext)
	}
	return nil
}

// installers are the suffixes of files that install themselves.
var installers = []string{".dmg", ".pkg", ".deb", ".rpm", ".msi", ".appimage"}

// programIn returns the path of a program in an archive, with slashes. Entries for
// Windows use backslashes.
func programIn(cmd string) (string, error) {
	p := path.Clean(strings.ReplaceAll(cmd, `\`, "/"))
	if !plain(cmd) || cmd == "" || p == "." || strings.Contains(p, ":") || !localPath(p) {
		return "", fmt.Errorf("%.80q is not the path of a program in the archive", cmd)
	}
	return p, nil
}

// localPath reports whether a clean path with slashes stays below its base.
func localPath(p string) bool {
	return p != "" && p[0] != '/' && p != ".." && !strings.HasPrefix(p, "../") && !strings.ContainsRune(p, 0)
}
