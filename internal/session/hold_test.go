package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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

// The journal has seen the files before the agent gets the answer to a permission: what the user
// has written while the question was open is not the agent's.
func TestTheAnswerWaitsForTheJournal(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"a", "b", "c", "d"}
	put := func(content string) {
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat(content, 1<<18)), 0o644); err != nil {
				t.Error(err)
			}
		}
	}
	state := t.TempDir()
	put("before\n")
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("go")
		call := `{"toolCallId":"1","title":"Edit","kind":"edit","status":"pending","locations":[{"path":"a"},{"path":"b"},{"path":"c"},{"path":"d"}]}`
		ch := h.agent().ask(t.Context(), "session/request_permission", `{"sessionId":"s1","toolCall":`+call+`,"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}`)
		h.settle()
		put("user\n")
		if err := Try(h.Context(), h, Answer{Question: test.Permissions(h.conv)[0].Seen, Option: "yes"}); err != nil {
			t.Fatal(err)
		}
		<-ch
		put("agent\n")
		h.agent().update("s1", `{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}`)
		h.settle()
		for _, name := range names {
			c, err := h.opt.Journal.Compare(t.Context(), journal.Part{Path: filepath.Join(dir, name)}, 0)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if !strings.HasPrefix(c.Before.Content, "user\n") {
				t.Errorf("%s: the edit begins with %.10q", name, c.Before.Content)
			}
		}
	}, func(_ *harness, opt *Options) {
		opt.Cwd = dir
		if opt.Journal, err = journal.Open(journal.Options{Dir: state, Cwd: dir, Roots: []string{dir}}); err != nil {
			t.Fatal(err)
		}
	})
}
