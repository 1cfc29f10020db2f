package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/conversation"
	"parley/internal/test"
)

// said reports whether a line of parley's own has that title, and what it says.
func said(h *harness, title string) (detail string, ok bool) {
	for _, s := range eventsOf[conversation.NoticeAdded](h) {
		if s.Title == title {
			return s.Detail, true
		}
	}
	return "", false
}

func TestRefusedLineIsTold(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.agent().text("s1", strings.Repeat("x", 100_000))
		h.agent().text("s1", "still here")
		h.settle()
		if detail, ok := said(h, "A message from the agent was too long and was dropped"); !ok || !strings.Contains(detail, "the limit is 50000") {
			t.Errorf("the user is told %q, %v", detail, ok)
		}
		if len(h.conv.Items) == 0 {
			t.Error("what came after it is lost as well")
		}
	}, func(_ *harness, o *Options) { o.MaxLine = 50_000 })
}

func TestQuestionOfAnotherSessionIsTold(t *testing.T) {
	const title = "The next question is for another session"
	bubble(t, func(t *testing.T, h *harness) {
		h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		h.settle()
		if _, ok := said(h, title); ok {
			t.Error("a question of the open session is said to be another's")
		}
		h.agent().ask(t.Context(), "session/request_permission", strings.Replace(permissionFor("t2"), `"s1"`, `"elsewhere"`, 1))
		h.settle()
		if detail, ok := said(h, title); !ok || !strings.Contains(detail, "elsewhere") {
			t.Errorf("the user is told %q, %v", detail, ok)
		}
		if len(test.Permissions(h.conv)) != 2 {
			t.Errorf("%d questions are open, want 2", len(test.Permissions(h.conv)))
		}
	})
}

// A session whose directory is deleted says so once, when something fails that may fail for
// that reason, and again only if it was back meanwhile.
func TestADirectoryThatIsGoneIsTold(t *testing.T) {
	const title = "The session's directory is gone"
	dir := filepath.Join(t.TempDir(), "tree")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(dir, 0o755))
	bubble(t, func(t *testing.T, h *harness) {
		times := 0
		fails := func(want int, why string) {
			t.Helper()
			times++
			h.agent().update("s1", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"t%d","title":"go test","kind":"execute","status":"failed"}`, times))
			h.settle()
			n := 0
			for _, s := range eventsOf[conversation.NoticeAdded](h) {
				if s.Title == title && strings.Contains(s.Detail, dir) {
					n++
				}
			}
			if n != want {
				t.Errorf("%s: told %d times, want %d", why, n, want)
			}
		}
		fails(0, "while it is there")
		must(os.Remove(dir))
		fails(1, "when it is gone")
		fails(1, "still gone")
		must(os.Mkdir(dir, 0o755))
		fails(1, "back")
		must(os.Remove(dir))
		fails(2, "gone again")
	}, func(_ *harness, o *Options) { o.Cwd = dir })
}
