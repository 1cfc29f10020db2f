package diffview

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/internal/test"
)

func TestPatch(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		name string
		old  *string
		new  string
		want string
	}{
		{"a change", text("a\nb\nc\n"), "a\nx\nc\n", "--- a/dir/f\n+++ b/dir/f\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"a new file", nil, "a\n", "--- /dev/null\n+++ b/dir/f\n@@ -0,0 +1 @@\n+a\n"},
		{"a deleted file", text("a\n"), "", "--- a/dir/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"},
		{"nothing", text("a\n"), "a\n", ""},
		{"only the final newline", text("a\n"), "a", "--- a/dir/f\n+++ b/dir/f\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := New("/dir/f", c.old, c.new).Patch()
			if err != nil || got != c.want {
				t.Errorf("patch %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// TestPatchApplies lets git apply patches of random changes.
func TestPatchApplies(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	line := rapid.SampledFrom([]string{"a\n", "b\n", "c\r\n", "\n", "  d\t\n", "unique 1\n", "unique 2\n"})
	texts := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(line, 1, 12).Draw(t, "lines"), "") + rapid.SampledFrom([]string{"", "end"}).Draw(t, "end")
	})
	dir := t.TempDir()
	file, patch := filepath.Join(dir, "f"), filepath.Join(dir, "patch")
	for seed := range 60 {
		before, after := texts.Example(2*seed), texts.Example(2*seed+1)
		if before == after {
			continue
		}
		text, err := New("f", &before, after).Patch()
		if err != nil {
			t.Fatal(err)
		}
		if os.WriteFile(file, []byte(before), 0o600) != nil || os.WriteFile(patch, []byte(text), 0o600) != nil {
			t.Fatal("the files were not written")
		}
		cmd := exec.Command(git, "apply", "--whitespace=nowarn", patch)
		cmd.Dir = dir
		cmd.Env = append(test.Environ(), "GIT_CEILING_DIRECTORIES="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%q", err, out, text)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != after {
			t.Fatalf("the patch %q makes %q of %q, want %q", text, got, before, after)
		}
	}
}
