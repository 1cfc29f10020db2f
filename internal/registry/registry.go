// Package registry reads the public ACP registry and installs its agents: it parses the
// registry's file, chooses a distribution for this machine, and downloads and unpacks
// binaries.
//
// The registry's contents are untrusted. An entry is accepted only if all of it can be
// shown and carried out; a bad entry does not affect the others. An archive is unpacked
// through an os.Root into a directory of its own, with symbolic links last, and every
// link is followed before the directory gets its final name. How an agent is started is
// stored in agents.toml ([config.AddedFile]), which config.Load reads.
package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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
	// SHA256 is the digest of the download in hexadecimal; "" if the registry has none.
	SHA256 string `json:"sha256,omitempty"`
	// Cmd is the program's path in the archive.
	Cmd  string            `json:"cmd"`
	Args []string          `json:"args,omitempty"`
	Env  map[string]string `json:"env,omitempty"`
}

// Package is a package that npx or uvx fetches and runs.
type Package struct {
	Package string `json:"package"`
	// Cmd is the program in the package, if it is not named after the package.
	Cmd  string            `json:"cmd,omitempty"`
	Args []string          `json:"args,omitempty"`
	Env  map[string]string `json:"env,omitempty"`
}

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

// Find returns the entry with an id, or else with a name. The error wraps ErrUnknown.
func (x *Index) Find(word string) (Entry, error) {
	for _, e := range x.Entries {
		if e.ID == word {
			return e, nil
		}
	}
	for _, e := range x.Entries {
		if strings.EqualFold(e.ID, word) || strings.EqualFold(e.Name, word) {
			return e, nil
		}
	}
	for _, f := range x.Faults {
		if f.Entry == word {
			return Entry{}, f
		}
	}
	return Entry{}, fmt.Errorf("%w: %q", ErrUnknown, word)
}

const (
	// maxIndex bounds the registry's file, in bytes; that of 2026 has 150 KiB.
	maxIndex = 8 << 20
	// maxEntries bounds the number of agents.
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

// nameOf returns the name of a bad entry.
func nameOf(raw json.RawMessage, at int) string {
	var e struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, &e) == nil && isID(e.ID) {
		return e.ID
	}
	return fmt.Sprintf("number %d", at+1)
}
