package registry

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Kind is a kind of distribution.
type Kind string

// The supported kinds, in the order in which they are tried: a binary needs no other
// program.
const (
	Binary Kind = "binary"
	NPX    Kind = "npx"
	UVX    Kind = "uvx"
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Binary, NPX, UVX} }

// Platform returns the registry's name of a platform, from those of Go; "" if it has
// none.
func Platform(goos, goarch string) string {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[goarch]
	if arch == "" || !slices.Contains([]string{"darwin", "linux", "windows"}, goos) {
		return ""
	}
	return goos + "-" + arch
}

// Plan says how to install an agent on this machine, and what then runs.
type Plan struct {
	Entry Entry
	Kind  Kind
	// Command is the program, Args are its arguments. For a Binary it is the path in
	// the archive, with slashes, until it is installed.
	Command string
	Args    []string
	Env     map[string]string
	// Archive is the download of a Binary, SHA256 its digest; "" if the registry has
	// none.
	Archive, SHA256 string
}

// MissingError means that an agent needs a program that is not installed.
type MissingError struct{ Kind Kind }

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not installed, or not on PATH", e.Kind)
}

// Needs returns the name and the URL of the software that includes the program.
func (e *MissingError) Needs() (name, url string) {
	if e.Kind == NPX {
		return "Node.js", "https://nodejs.org"
	}
	return "uv", "https://docs.astral.sh/uv"
}

// Hint says where to get the program.
func (e *MissingError) Hint() string {
	name, url := e.Needs()
	return fmt.Sprintf("%s comes with %s: %s", e.Kind, name, url)
}

// ErrPlatform means that an agent has no distribution for this platform.
var ErrPlatform = errors.New("it is not available for this platform")

// Plan chooses the distribution for a platform: the first of the kinds (all if none are
// given) that the agent has and that can be started with the programs that lookPath
// finds. The error is a [*MissingError], or wraps ErrPlatform.
func (e Entry) Plan(platform string, lookPath func(string) (string, error), kinds ...Kind) (Plan, error) {
	if len(kinds) == 0 {
		kinds = Kinds()
	}
	var missing error
	for _, k := range kinds {
		p := Plan{Entry: e, Kind: k}
		d := e.Distribution
		target, binary := d.Binary[platform]
		switch {
		case k == Binary && binary:
			p.Command, _ = programIn(target.Cmd) // already checked
			p.Args, p.Env, p.Archive, p.SHA256 = target.Args, target.Env, target.Archive, strings.ToLower(target.SHA256)
			return p, nil
		case k == NPX && d.NPX != nil:
			// Without -y npx would ask, but no user can answer.
			p.Command, p.Args, p.Env = "npx", append([]string{"-y"}, d.NPX.arguments("--package", "@", e.Version)...), d.NPX.Env
		case k == UVX && d.UVX != nil:
			p.Command, p.Args, p.Env = "uvx", d.UVX.arguments("--from", "==", e.Version), d.UVX.Env
		default:
			continue
		}
		if _, err := lookPath(p.Command); err == nil {
			return p, nil
		}
		if missing == nil {
			missing = &MissingError{k}
		}
	}
	if missing != nil {
		return Plan{}, missing
	}
	return Plan{}, fmt.Errorf("%s has no program for %s: %w", e.ID, platform, ErrPlatform)
}

// arguments returns the arguments that run a package: flag precedes a package whose
// program has another name, and mark the version. A version of the package's own wins.
func (p Package) arguments(flag, mark, version string) []string {
	pkg := p.Package
	if !strings.Contains(pkg[1:], "@") && !strings.Contains(pkg, "==") {
		pkg += mark + version
	}
	if p.Cmd == "" {
		return append([]string{pkg}, p.Args...)
	}
	return append([]string{flag, pkg, p.Cmd}, p.Args...)
}

// Variables returns the environment variables, sorted, as NAME=VALUE.
func (p Plan) Variables() []string {
	list := make([]string, 0, len(p.Env))
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		list = append(list, name+"="+p.Env[name])
	}
	return list
}

// Fact is a fact about a plan that helps the user decide.
type Fact struct{ Name, Text string }

// Facts describe what a plan does and exactly what will run. Their texts come from the
// registry; sanitise them before drawing.
func (p Plan) Facts(dir string) []Fact {
	facts := []Fact{{"agent", p.Entry.Name + " " + p.Entry.Version}}
	add := func(name, text string) {
		if text != "" {
			facts = append(facts, Fact{name, text})
		}
	}
	add("licence", p.Entry.License)
	add("source", p.Entry.Source())
	if p.Kind == Binary {
		add("downloads", p.Archive)
		add("sha256", cmp.Or(p.SHA256, "unknown: the download is not verified"))
	} else {
		add("downloads", fmt.Sprintf("nothing now; %s fetches the package when the agent starts", p.Kind))
	}
	add("runs", p.Line(dir))
	return facts
}

// Line returns the command line that will run, with its variables. dir is where
// programs are installed; "…" stands for a part that is not known yet.
func (p Plan) Line(dir string) string {
	program := p.Command
	if p.Kind == Binary {
		program = filepath.Join(dir, p.Entry.ID, p.Entry.Version+"-…", filepath.FromSlash(p.Command))
	}
	words := p.Variables()
	for _, w := range append([]string{program}, p.Args...) {
		quoted, err := syntax.Quote(w, syntax.LangPOSIX)
		if err != nil || w == program && strings.Contains(w, "…") && !strings.ContainsAny(w, " '\"$`\\") {
			quoted = w
		}
		words = append(words, quoted)
	}
	return strings.Join(words, " ")
}
