package toolview

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPathsThatLeadOut(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	root, other := filepath.Join(dir, "project"), filepath.Join(dir, "other")
	t.Setenv("HOME", filepath.Join(dir, "home"))
	must(t, os.MkdirAll(filepath.Join(root, "src"), 0o755))
	must(t, os.MkdirAll(other, 0o755))
	must(t, os.WriteFile(filepath.Join(other, "f"), nil, 0o600))
	for name, to := range map[string]string{
		"link": filepath.Join(other, "f"), "dir": other, "inner": "src", "gone": filepath.Join(other, "not-yet"), "entry": "../project/src",
		"twice": "dir/not-yet", "loop": "loop",
	} {
		must(t, os.Symlink(to, filepath.Join(root, name)))
	}
	alias := filepath.Join(dir, "alias")
	must(t, os.Symlink(root, alias))

	for _, roots := range [][]string{{root}, {alias}, {root, filepath.Join(dir, "more")}} {
		r := &Facts{Roots: roots}
		paths := map[string]Target{
			"src/a.go":                             {},
			"./src/../src/a.go":                    {},
			filepath.Join(roots[0], "src", "a.go"): {},
			"inner/a.go":                           {Real: filepath.Join(root, "src", "a.go")},
			"entry/new/a.go":                       {Real: filepath.Join(root, "src", "new", "a.go")},
			"../other/f":                           {Outside: true},
			"src/../../other/f":                    {Outside: true},
			filepath.Join(other, "f"):              {Outside: true},
			"/etc/passwd":                          {Outside: true},
			"~/.bashrc":                            {Outside: true},
			"link":                                 {Outside: true, Real: filepath.Join(other, "f")},
			"dir/f":                                {Outside: true, Real: filepath.Join(other, "f")},
			"dir/new/f":                            {Outside: true, Real: filepath.Join(other, "new", "f")},
			"dir/../project/src":                   {Real: filepath.Join(root, "src")},
			"gone":                                 {Outside: true, Real: filepath.Join(other, "not-yet")},
		}
		paths["twice"] = paths["gone"]
		paths["loop"] = Target{}
		all := make([]string, 0, len(paths))
		for path := range paths {
			all = append(all, path)
		}
		if !r.Target("../other/f").Outside || r.Target("src/a.go").Outside || r.Target("link").Outside {
			t.Error("before anybody has looked, a path is not what it looks like")
		}
		r.Add(Found{Targets: Resolve(roots, all)})
		for path, want := range paths {
			if got := r.Target(path); got != want {
				t.Errorf("in %v, %s leads to %+v, want %+v", roots, path, got, want)
			}
		}
	}
	if got := (*Facts)(nil).Target("/etc"); got != (Target{}) {
		t.Errorf("without directories: %+v", got)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
