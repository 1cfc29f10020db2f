package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/test"
)

// The journal has seen the files before the agent gets the prompt: an edit that the agent
// makes and reports at once is known from what parley has seen, and what is sent after the
// prompt does not overtake it.
func TestThePromptWaitsForTheJournal(t *testing.T) {
	test.Apart(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte("before\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-qm", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s", out)
		}
	}
	state := t.TempDir()
	bubble(t, func(t *testing.T, h *harness) {
		h.agent().prompted = func() {
			if err := os.WriteFile(path, []byte("agent\n"), 0o644); err != nil {
				t.Error(err)
			}
		}
		Post(h, Prompt{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}}})
		Post(h, Cancel{})
		h.settle()
		if log := h.agent().got(); slices.Index(log, "session/prompt s1") > slices.Index(log, "session/cancel s1") || !slices.Contains(log, "session/prompt s1") {
			t.Errorf("the agent got %q", log)
		}
		h.agent().update("s1", `{"sessionUpdate":"tool_call","toolCallId":"1","title":"Edit","kind":"edit","status":"completed","content":[{"type":"diff","path":"f","oldText":"before\n","newText":"agent\n"}]}`)
		h.settle()
		c, err := h.opt.Journal.Compare(t.Context(), journal.Part{Path: path}, 0)
		if err != nil || c.Reported || c.Before.Content != "before\n" {
			t.Errorf("the edit is %+v, %v", c, err)
		}
		if done, err := h.opt.Journal.UndoTurn(t.Context()); err != nil || len(done.Files) != 1 {
			t.Errorf("undone: %+v, %v", done, err)
		}
	}, func(_ *harness, opt *Options) {
		opt.Cwd = dir
		if opt.Journal, err = journal.Open(journal.Options{Dir: state, Cwd: dir, Roots: []string{dir}}); err != nil {
			t.Fatal(err)
		}
	})
}
