package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/test"
)

// A link that decides which programs git runs could be replaced: there is no guard for it.
func TestGuardOfRefusesLinks(t *testing.T) {
	for name, link := range map[string]func(dir string) error{
		"the repository": func(dir string) error {
			return relink(filepath.Join(dir, ".git"), filepath.Join(dir, "repository"))
		},
		"the configuration": func(dir string) error {
			return relink(filepath.Join(dir, ".git", "config"), filepath.Join(dir, "config"))
		},
		"an included file": func(dir string) error {
			config := filepath.Join(dir, ".git", "config")
			text, err := os.ReadFile(config)
			if err == nil {
				err = os.WriteFile(config, append(text, "[include]\n\tpath = ../team\n"...), 0o600)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, "team"), nil, 0o600)
			}
			if err == nil {
				err = relink(filepath.Join(dir, "team"), filepath.Join(dir, "elsewhere"))
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := test.New(t, map[string]string{"poem.txt": "poem\n"})
			if _, err := GuardOf(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			if err := link(dir); err != nil {
				t.Fatal(err)
			}
			if g, err := GuardOf(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "symbolic link") {
				t.Errorf("the guard is %+v, %v", g, err)
			}
		})
	}
}

// relink moves a path and leaves a link to it.
func relink(path, to string) error {
	if err := os.Rename(path, to); err != nil {
		return err
	}
	return os.Symlink(to, path)
}

// A file that claims to be that of a linked worktree opens no repository: the repository must
// know of it.
func TestGuardOfBelievesNoClaim(t *testing.T) {
	dir, run := test.New(t, map[string]string{"poem.txt": "poem\n"})
	tree := filepath.Join(t.TempDir(), "tree")
	run(dir, "worktree", "add", "-q", "--detach", tree)
	admin := linkedDir(tree)
	if g, err := GuardOf(t.Context(), tree); err != nil || !slices.Contains(g.Write, admin) {
		t.Fatalf("a worktree: %+v, %v", g, err)
	}
	other := t.TempDir()
	elsewhere := filepath.Join(t.TempDir(), "elsewhere", "own") // claims itself, but is no worktree's
	if err := os.MkdirAll(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(elsewhere, "gitdir"), []byte(filepath.Join(other, ".git")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, claimed := range []string{admin, elsewhere} {
		if err := os.WriteFile(filepath.Join(other, ".git"), []byte("gitdir: "+claimed+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if g, err := GuardOf(t.Context(), other); err != nil || len(g.Write) > 0 {
			t.Errorf("%s: the agent may write %v, %v", claimed, g.Write, err)
		}
	}
}
