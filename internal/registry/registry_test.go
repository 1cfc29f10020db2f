package registry

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/config"
)

func nothingFound(string) (string, error)     { return "", exec.ErrNotFound }
func allFound(program string) (string, error) { return "/bin/" + program, nil }

// Every entry of the registry that is built in can be used, and says on each platform
// what would run.
func TestEveryEntryOfTheSnapshot(t *testing.T) {
	t.Parallel()
	x, err := Parse(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Agents []json.RawMessage }
	if err := json.Unmarshal(snapshot, &file); err != nil {
		t.Fatal(err)
	}
	if len(x.Faults) != 0 || len(x.Entries) != len(file.Agents) || len(x.Entries) < 20 {
		t.Fatalf("%d of %d entries, %v", len(x.Entries), len(file.Agents), x.Faults)
	}
	for _, a := range config.Default(nil).Missing(nothingFound) { // parley offers to install what it can
		if e, err := x.Find(a.ID); (err == nil) != a.Installable() || err == nil && (config.KnownAs(e.ID) != a.ID || e.PlanHere().Name != a.Name) {
			t.Errorf("%s is listed: %t, in the registry: %+v, %v", a.ID, a.Installable(), e, err)
		}
	}
	for _, e := range x.Entries {
		if e.Description == "" || e.License == "" || e.source() == "" && e.ID != "factory-droid" {
			t.Errorf("%s: %+v", e.ID, e)
		}
		for _, goos := range []string{"linux", "darwin", "windows"} {
			for _, arch := range []string{"amd64", "arm64"} {
				p := e.Plan(Platform(goos, arch), allFound)
				if errors.Is(p.Unusable, ErrPlatform) {
					continue
				}
				if p.Unusable != nil {
					t.Errorf("%s on %s: %v", e.ID, goos, p.Unusable)
				}
				switch Kind(p.Origin.Kind) {
				case Binary:
					if !strings.HasPrefix(p.Origin.Archive, "https://") || p.Command == "" || strings.ContainsAny(p.Command, `\`) {
						t.Errorf("%s on %s: %+v", e.ID, goos, p)
					}
				default:
					// The version stands in the command: what runs later is what was shown.
					if line := strings.Join(p.Args, " "); !strings.ContainsAny(line, "0123456789") || p.Command != p.Origin.Kind {
						t.Errorf("%s on %s: %+v", e.ID, goos, p)
					}
				}
			}
		}
	}
}

func TestPlanChoosesWhatCanRun(t *testing.T) {
	t.Parallel()
	x, err := Parse([]byte(`{"version": "1.0.0", "agents": [
		{"id": "all", "name": "All", "version": "1.2.3", "description": "d", "distribution": {
			"binary": {"linux-x86_64": {"archive": "https://example.com/a.tgz", "cmd": "./bin\\all", "args": ["acp"], "env": {"B": "2", "A": "1"}}},
			"npx": {"package": "@a/all@1.2.3", "cmd": "prog", "args": ["x"]},
			"uvx": {"package": "all-acp[extra]", "args": ["-x"]}}},
		{"id": "py", "name": "Py", "version": "2.0.0", "description": "d", "distribution": {"uvx": {"package": "py", "cmd": "py-acp"}}},
		{"id": "bin", "name": "Bin", "version": "2.0.0", "description": "d", "distribution": {"binary": {"darwin-aarch64": {"archive": "https://example.com/a", "cmd": "a"}, "plan9-mips": {"archive": "https://example.com/a", "cmd": "a"}}}}
	]}`))
	if err != nil || len(x.Faults) > 0 {
		t.Fatal(err, x)
	}
	line := func(id, platform string, look func(string) (string, error), kinds ...Kind) string {
		e, err := x.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		p := e.Plan(platform, look, kinds...)
		if p.Unusable != nil {
			return p.Unusable.Error()
		}
		env, _ := p.Env.Environ(os.LookupEnv)
		return strings.Join(slices.Concat(env, []string{p.Command}, p.Args), " ")
	}
	for _, c := range []struct{ got, want string }{
		{line("all", "linux-x86_64", nothingFound), "A=1 B=2 bin/all acp"},
		{line("all", "linux-aarch64", allFound), "npx -y --package @a/all@1.2.3 prog x"},
		{line("all", "linux-x86_64", allFound, UVX), "uvx all-acp[extra]==1.2.3 -x"},
		{line("All", "linux-aarch64", nothingFound), "npx is not installed, or not on PATH"},
		{line("py", "linux-x86_64", allFound), "uvx --from py==2.0.0 py-acp"},
		{line("py", "linux-x86_64", allFound, NPX), "py has no program for linux-x86_64: it is not available for this platform"},
		{line("bin", "linux-x86_64", allFound), "bin has no program for linux-x86_64: it is not available for this platform"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	var missing *MissingError
	e, _ := x.Find("py")
	if p := e.Plan("linux-x86_64", nothingFound); !errors.As(p.Unusable, &missing) || !strings.Contains(missing.Hint(), "uv") || p.Origin.Kind != "uvx" {
		t.Errorf("%+v", p)
	}
	if _, err := x.Find("none"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

// hostile are distributions that no entry may have.
var hostile = map[string]string{
	"nothing":               `{}`,
	"an unknown kind":       `{"docker": {"image": "x"}}`,
	"http":                  `{"binary": {"linux-x86_64": {"archive": "http://example.com/a.tgz", "cmd": "a"}}}`,
	"a file":                `{"binary": {"linux-x86_64": {"archive": "file:///etc/passwd", "cmd": "a"}}}`,
	"no host":               `{"binary": {"linux-x86_64": {"archive": "https:///a.tgz", "cmd": "a"}}}`,
	"a user":                `{"binary": {"linux-x86_64": {"archive": "https://a:b@example.com/a.tgz", "cmd": "a"}}}`,
	"an installer":          `{"binary": {"linux-x86_64": {"archive": "https://example.com/a.DEB", "cmd": "a"}}}`,
	"a path that leads out": `{"binary": {"linux-x86_64": {"archive": "https://example.com/a.tgz", "cmd": "../../bin/sh"}}}`,
	"a path of Windows":     `{"binary": {"linux-x86_64": {"archive": "https://example.com/a.tgz", "cmd": "..\\..\\sh"}}}`,
	"an absolute path":      `{"binary": {"linux-x86_64": {"archive": "https://example.com/a.tgz", "cmd": "/bin/sh"}}}`,
	"a drive":               `{"binary": {"linux-x86_64": {"archive": "https://example.com/a.tgz", "cmd": "C:\\cmd.exe"}}}`,
	"no program":            `{"binary": {"linux-x86_64": {"archive": "https://example.com/a.tgz", "cmd": "./"}}}`,
	"a short digest":        `{"binary": {"linux-x86_64": {"archive": "https://example.com/a.tgz", "cmd": "a", "sha256": "abc"}}}`,
	"an option of npx":      `{"npx": {"package": "--call=rm"}}`,
	"an address":            `{"npx": {"package": "git+https://example.com/x"}}`,
	"a directory":           `{"npx": {"package": "./x"}}`,
	"a tag":                 `{"npx": {"package": "x@latest"}}`,
	"an option as program":  `{"npx": {"package": "x@1.0.0", "cmd": "-c"}}`,
	"a path as program":     `{"uvx": {"package": "x", "cmd": "../sh"}}`,
	"an option of uvx":      `{"uvx": {"package": "-x"}}`,
	"a line break":          `{"npx": {"package": "x@1.0.0", "args": ["a\nb"]}}`,
	"an escape":             `{"npx": {"package": "x@1.0.0", "args": ["\u001b[2J"]}}`,
	"a NUL":                 `{"npx": {"package": "x@1.0.0", "env": {"A": "a\u0000b"}}}`,
	"a variable's name":     `{"npx": {"package": "x@1.0.0", "env": {"A=B": "a"}}}`,
	"the wrong type":        `{"npx": {"package": 3}}`,
}

// A bad entry costs itself, and is told; those beside it stay.
func TestBadEntriesCostThemselves(t *testing.T) {
	t.Parallel()
	const good = `{"id": "good", "name": "Good", "version": "1.0.0", "description": "d", "distribution": {"npx": {"package": "good@1.0.0"}}}`
	bad := map[string]string{
		"an id with a path":   strings.Replace(good, `"good"`, `"../good"`, 1),
		"the same id":         good,
		"no name":             strings.Replace(good, `"Good"`, `" "`, 1),
		"a version as path":   strings.Replace(good, `"1.0.0"`, `"1.0.0/../.."`, 1),
		"an escape in text":   strings.Replace(good, `"d"`, `"\u001b]0;x\u0007"`, 1),
		"no object":           `3`,
		"a text of megabytes": strings.Replace(good, `"d"`, `"`+strings.Repeat("d", 1<<20)+`"`, 1),
	}
	for name, d := range hostile {
		bad[name] = `{"id": "bad", "name": "Bad", "version": "1.0.0", "description": "d", "distribution": ` + d + `}`
	}
	for name, entry := range bad {
		x, err := Parse([]byte(`{"version": "1.0.0", "agents": [` + good + `,` + entry + `]}`))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(x.Entries) != 1 || x.Entries[0].ID != "good" || len(x.Faults) != 1 || x.Faults[0].Error() == "" {
			t.Errorf("%s: %+v", name, x)
		}
	}
	for _, text := range []string{``, `[]`, `{}`, `{"version": "2.0.0", "agents": []}`, `{"version": "1.0.0"}`, `<html>`} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%q was taken for a registry", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(snapshot)
	for _, d := range hostile {
		f.Add([]byte(`{"version": "1.0.0", "agents": [{"id": "bad", "name": "Bad", "version": "1.0.0", "description": "d", "distribution": ` + d + `}]}`))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := Parse(data)
		if err != nil {
			return
		}
		for _, e := range x.Entries {
			for _, k := range Kinds() {
				p := e.Plan("linux-x86_64", allFound, k)
				if p.Unusable != nil {
					continue
				}
				if strings.HasPrefix(p.Command, "-") && k != Binary || k == Binary && !localPath(p.Command) || !plain(strings.Join(p.Args, "")[:min(maxText, len(strings.Join(p.Args, "")))]) {
					t.Errorf("%+v", p)
				}
			}
		}
	})
}

// The README names the command that the first screen shows, for an agent that there is.
func TestTheREADMEInstallsAsTheScreenDoes(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	entry, err := e.Find("claude-acp")
	if err != nil || !strings.Contains(string(readme), "\n"+InstallCommand(entry.ID)+"\n") {
		t.Errorf("the README has no line %q: %v", InstallCommand(entry.ID), err)
	}
}

// What was raised from npm is as old as that, the rest as old as the registry.
func TestDatesOfTheSnapshot(t *testing.T) {
	t.Parallel()
	e := &Edition{Date: time.Unix(1, 0), NPM: time.Unix(2, 0), BuiltIn: true}
	npm, uvx := Entry{Distribution: Distribution{NPX: &Package{}}}, Entry{Distribution: Distribution{UVX: &Package{}}}
	if e.DateOf(npm) != e.NPM || e.DateOf(uvx) != e.Date {
		t.Errorf("%v, %v", e.DateOf(npm), e.DateOf(uvx))
	}
	if built, err := Snapshot(); err != nil || built.Date.IsZero() || built.NPM.Before(built.Date) {
		t.Errorf("%+v, %v", built, err)
	}
}

// A file in place of the cache's directory is named, and the built-in registry serves.
func TestCacheBehindAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "parley")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := (&Cache{File: filepath.Join(file, "registry.json")}).Open()
	if err == nil || !strings.HasSuffix(err.Error(), "but "+file+" is a file: move it away") {
		t.Errorf("%v", err)
	}
	if !e.BuiltIn {
		t.Error("the built-in registry is not used")
	}
}
