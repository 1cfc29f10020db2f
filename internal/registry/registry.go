// Package registry reads the public ACP registry and installs its agents: it parses the
// registry's file, chooses a distribution for this machine, and downloads and unpacks
// binaries.
//
// The registry's contents are untrusted. An entry is accepted only if all of it can be
// shown and carried out; a bad entry does not affect the others. An archive is unpacked
// through an os.Root into a directory of its own, with symbolic links last, and every
// link is followed before the directory gets its final name. How an agent is started is
// stored in saved.toml ([config.Saved]), which config.Load reads.
package registry

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/config"
)

// Entry is an agent of the registry. Sanitise its texts before drawing.
type Entry struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Description string   `json:"description"`
	Repository  string   `json:"repository,omitempty"`
	Website     string   `json:"website,omitempty"`
	Authors     []string `json:"authors,omitempty"`
	// License is an SPDX identifier or "proprietary", LicenseURL the URL of its text.
	License      string       `json:"license,omitempty"`
	LicenseURL   string       `json:"license_url,omitempty"`
	Distribution Distribution `json:"distribution"`
}

// Distribution says how to get an agent; at least one of its fields is set.
type Distribution struct {
	// Binary holds programs to download, by platform.
	Binary map[string]Target `json:"binary,omitempty"`
	// NPX is a package of npm, UVX one of PyPI.
	NPX *Package `json:"npx,omitempty"`
	UVX *Package `json:"uvx,omitempty"`
}

// Target is a program for one platform.
type Target struct {
	// Archive is the URL of an archive, or of the program itself.
	Archive string `json:"archive"`
	// Cmd is the program's path in the archive.
	Cmd  string            `json:"cmd"`
	Args []string          `json:"args,omitempty"`
	Env  map[string]string `json:"env,omitempty"`
	// SHA256 is the digest of the download in hexadecimal; "" if the registry has none.
	SHA256 string `json:"sha256,omitempty"`
}

// Package is a package that npx or uvx fetches and runs.
type Package struct {
	Package string `json:"package"`
	// Cmd is the program in the package, if it is not named after the package.
	Cmd  string            `json:"cmd,omitempty"`
	Args []string          `json:"args,omitempty"`
	Env  map[string]string `json:"env,omitempty"`
}

// OnlyNPM reports whether an agent comes as a package of npm and in no other way.
func (e Entry) OnlyNPM() bool {
	d := e.Distribution
	return d.NPX != nil && d.UVX == nil && len(d.Binary) == 0
}

// Names returns the ID and the name.
func (e Entry) Names() (id, name string) { return e.ID, e.Name }

// source returns a page about the agent.
func (e Entry) source() string { return cmp.Or(e.Repository, e.Website) }

// about says what the agent is, or at least who makes it.
func (e Entry) about() string {
	by := ""
	if len(e.Authors) > 0 {
		by = "by " + strings.Join(e.Authors, ", ")
	}
	return cmp.Or(e.Description, by, e.source())
}

// InstallCommand returns the command that installs an agent.
func InstallCommand(id string) string { return "parley agents install " + config.KnownAs(id) }

// Index is the contents of a registry's file.
type Index struct {
	Entries []Entry
	// Faults are the entries that cannot be used, and why.
	Faults []Fault
}

// Fault is an entry that cannot be used.
type Fault struct {
	// Entry is its id, or its position in the file if it has none.
	Entry string
	Err   error
}

func (f Fault) Error() string { return fmt.Sprintf("the registry's entry %s: %v", f.Entry, f.Err) }
func (f Fault) Unwrap() error { return f.Err }

// ErrUnknown means that the registry has no agent of a name.
var ErrUnknown = errors.New("the registry has no such agent")

// Find finds an entry by any of the agent's names, as [config.Find] does. The error wraps ErrUnknown.
func (x *Index) Find(word string) (Entry, error) {
	if e, ok := config.Find(x.Entries, word); ok {
		return e, nil
	}
	for _, f := range x.Faults {
		if f.Entry == word {
			return Entry{}, f
		}
	}
	return Entry{}, fmt.Errorf("%w: %q", ErrUnknown, word)
}

const (
	// maxIndex limits the registry's file, in bytes; that of 2026 has 150 KiB.
	maxIndex = 8 << 20
	// maxEntries limits the number of agents.
	maxEntries = 10_000
)

// Parse reads a registry's file. It fails for a file that is not a registry or has an
// unknown format; a bad entry is only a fault of the index.
func Parse(data []byte) (*Index, error) {
	if len(data) > maxIndex {
		return nil, fmt.Errorf("the registry is larger than %d MiB", maxIndex>>20)
	}
	var file struct {
		Version string            `json:"version"`
		Agents  []json.RawMessage `json:"agents"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("this is not a registry: %w", err)
	}
	switch {
	case file.Version == "" || file.Agents == nil:
		return nil, errors.New("this is not a registry: it has no version, or no agents")
	case file.Version != "1" && !strings.HasPrefix(file.Version, "1."):
		return nil, fmt.Errorf("the registry has format %.20q, but this parley reads format 1", file.Version)
	case len(file.Agents) > maxEntries:
		return nil, fmt.Errorf("the registry has more than %d agents", maxEntries)
	}
	x, seen := &Index{}, map[string]bool{}
	for i, raw := range file.Agents {
		var e Entry
		err := json.Unmarshal(raw, &e)
		if err == nil {
			err = e.check()
		}
		if err == nil && seen[e.ID] {
			err = errors.New("another entry has the same id")
		}
		if err != nil {
			x.Faults = append(x.Faults, Fault{nameOf(raw, i), err})
			continue
		}
		seen[e.ID] = true
		x.Entries = append(x.Entries, e)
	}
	return x, nil
}

func nameOf(raw json.RawMessage, at int) string {
	var e struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, &e) == nil && isID(e.ID) {
		return e.ID
	}
	return fmt.Sprintf("number %d", at+1)
}

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
	if slices.ContainsFunc(texts, func(s string) bool { return !plain(s) }) {
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
	if slices.ContainsFunc(args, func(a string) bool { return !plain(a) }) {
		return errors.New("it has an argument that is too long, or has control characters")
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
