package registry

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"parley/config"
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

// Plan returns an agent as it would be installed for a platform, with the first of the kinds
// (all if none are given) that it has and that can be started with the programs that lookPath
// finds. Its Origin describes the download, and its Command is a path in that, with slashes,
// until it is installed. If there is none, Unusable is the error, which is a
// [*MissingError] or wraps ErrPlatform.
func (e Entry) Plan(platform string, lookPath func(string) (string, error), kinds ...Kind) config.Agent {
	if len(kinds) == 0 {
		kinds = Kinds()
	}
	o := &config.Origin{Version: e.Version, License: e.License, Source: e.source()}
	a := config.Agent{ID: e.ID, Name: config.KnownName(e.ID, e.Name), About: e.about(), URL: o.Source, Source: config.SourceAvailable, Origin: o}
	for _, k := range kinds {
		d, env, command, args := e.Distribution, map[string]string(nil), string(k), []string(nil)
		target, binary := d.Binary[platform]
		switch {
		case k == Binary && binary:
			command, _ = programIn(target.Cmd) // already checked
			args, env, o.Archive, o.SHA256 = target.Args, target.Env, target.Archive, strings.ToLower(target.SHA256)
		case k == NPX && d.NPX != nil:
			// Without -y npx would ask, but no user can answer.
			args, env = append([]string{"-y"}, d.NPX.arguments("--package", "@", e.Version)...), d.NPX.Env
		case k == UVX && d.UVX != nil:
			args, env = d.UVX.arguments("--from", "==", e.Version), d.UVX.Env
		default:
			continue
		}
		if _, err := lookPath(command); k == Binary || err == nil {
			a.Command, a.Args, a.Env, a.Unusable, o.Kind = command, args, config.NewSecrets(literal(env)), nil, string(k)
			return a
		}
		if a.Unusable == nil {
			a.Unusable, o.Kind = &MissingError{k}, string(k)
		}
	}
	if a.Unusable == nil {
		a.Unusable = fmt.Errorf("%s has no program for %s: %w", e.ID, platform, ErrPlatform)
	}
	return a
}

// PlanHere is Plan for this machine.
func (e Entry) PlanHere(kinds ...Kind) config.Agent {
	return e.Plan(Platform(runtime.GOOS, runtime.GOARCH), exec.LookPath, kinds...)
}

// literal escapes variables so that they refer to no others: a registry must not read
// the user's environment.
func literal(env map[string]string) map[string]string {
	out := make(map[string]string, len(env))
	for name, value := range env {
		out[name] = strings.ReplaceAll(value, "$", "$$")
	}
	return out
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
