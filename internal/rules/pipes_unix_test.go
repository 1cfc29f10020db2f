//go:build unix

package rules

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"parley/config"
	"parley/internal/test"
)

// A named pipe in place of anything that parley reads of a project holds up no start: to
// open it would wait for a writer, for ever.
func TestPipesInAProjectHoldUpNothing(t *testing.T) {
	for _, name := range []string{
		config.ProjectFile, projectPrompts, projectPrompts + "/x.md", ".parley", ".gitignore",
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := test.New(t, map[string]string{"poem.txt": "poem\n"})
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o644); err != nil {
				t.Fatal(err)
			}
			p := readProject(dir, dir)
			if len(p.Prompts) > 0 || p.Rules != nil {
				t.Errorf("read %+v", p)
			}
			if name == projectPrompts+"/x.md" {
				if err := os.WriteFile(filepath.Join(dir, projectPrompts, "y.md"), []byte("Explain."), 0o600); err != nil {
					t.Fatal(err)
				}
				if p := readProject(dir, dir); len(p.Prompts) != 1 {
					t.Errorf("the prompt beside it is not read: %+v", p)
				}
			}
		})
	}
}
