package composer

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/conversation"
	"parley/internal/prompt"
	"parley/internal/test"
)

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Files that are mentioned in pasted text are not what the user asked for.
func TestPastesMentionNothing(t *testing.T) {
	c := newTest(t, nil)
	write(t, c.Root, "override", "x")
	c.Paste(strings.Repeat("@override\nvoid f();\n", 20))
	if q := play(c, "<enter>").Prompt.Queued(); len(q.Prompt) != 1 || q.Files != nil {
		t.Errorf("queued %+v", q)
	}
}

// A queued prompt is the draft that it was when it comes back, from a log too.
func TestQueuedPromptsComeBackAsWritten(t *testing.T) {
	c := newTest(t, nil)
	img, err := prompt.NewImage(pngOf(t, 3, 2))
	if err != nil {
		t.Fatal(err)
	}
	pasted := strings.Repeat("@override\nvoid f();\n", 20)
	play(c, "see ")
	c.Attach(prompt.Attachment{Label: "output of $ ls: 1 line", URI: "terminal://t/ls", Text: "notes.txt"})
	c.Paste(pasted)
	play(c, " and ")
	c.AddImage(img)
	play(c, "please")
	drawn := screen(c)
	first := play(c, "<enter>").Prompt.Queued()

	stored, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	var queued conversation.QueuedPrompt
	if err := json.Unmarshal(stored, &queued); err != nil {
		t.Fatal(err)
	}
	c.TakeBack(queued)
	if got := screen(c); got != drawn {
		t.Errorf("the draft is\n%s\nwant\n%s", got, drawn)
	}
	if diff := cmp.Diff(first, play(c, "<enter>").Prompt.Queued()); diff != "" {
		t.Errorf("sent again (-first +again):\n%s", diff)
	}
}

// Prompts that are taken back together stand one below the other, before the draft, in which the
// cursor stays.
func TestPromptsAreTakenBackBeforeTheDraft(t *testing.T) {
	c := newTest(t, nil)
	pasted := strings.Repeat("line\n", 20)
	c.Paste(pasted)
	one := play(c, "<enter>").Prompt.Queued()
	c.Paste(pasted)
	two := play(c, " too<enter>").Prompt.Queued()
	play(c, "drft<left><left>")
	c.TakeBack(one, two)
	play(c, "a")
	const want = "[pasted text #1, 20 lines]\n\n[pasted text #2, 20 lines] too\n\ndraft"
	if got := play(c, "<enter>").Prompt.Summary(); got != want {
		t.Errorf("the draft is %q, want %q", got, want)
	}
}

func TestListFiles(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.go", "dir/b c.go", "ignored.log", "node_modules/x/y.js", "bad\x1b[2Jname", "世.txt"} {
		write(t, root, name, "x")
	}
	write(t, root, ".gitignore", "*.log\nnode_modules\n")
	want := []string{".gitignore", "a.go", "dir/b c.go", "世.txt"}

	got, _, err := listFiles(root)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{".gitignore", "a.go", "dir/b c.go", "ignored.log", "世.txt"}, got); diff != "" {
		t.Errorf("without git (-want +got):\n%s", diff)
	}

	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	marker := filepath.Join(t.TempDir(), "ran")
	for _, args := range [][]string{{"init", "-q"}, {"config", "core.fsmonitor", "touch " + marker}, {"add", "a.go"}} {
		cmd := exec.Command("git", append([]string{"-c", "core.fsmonitor=false"}, args...)...)
		cmd.Dir, cmd.Env = root, test.Environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	got, _, err = listFiles(root)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with git (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("listing files ran a program of the project's configuration")
	}
}
