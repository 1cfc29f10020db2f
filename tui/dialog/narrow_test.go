package dialog

import (
	"strings"
	"testing"
	"time"
)

// In the narrowest window that parley works in, a question says whole why it takes no
// answer, and how much of it is hidden.
func TestTheFrameOfAQuestionIsNotCut(t *testing.T) {
	env, c := newEnv()
	d := NewPermission(env, editPermission(), 3)
	for _, step := range []struct {
		words string
		pass  time.Duration
	}{{inertBrief, 0}, {unseenBrief, time.Second}} {
		c.pass(step.pass)
		lines := strings.Split(strings.TrimSpace(shownBy(d, 40, 8)), "\n")
		if last := lines[len(lines)-1]; !strings.Contains(last, step.words+" · ↕ ") || strings.Contains(last, "…") {
			t.Errorf("the frame ends with %q", last)
		}
	}
	if text := shownBy(d, 80, 8); !strings.Contains(text, unseenWords) {
		t.Errorf("where there is room, it is not said in full:\n%s", text)
	}
}

// The names of actions are what a list is looked through for: they have most of the room.
func TestNamesInANarrowListAreReadable(t *testing.T) {
	env, _ := newEnv()
	s := NewSelector(env, List{Title: "Command palette", Items: []Item{
		{ID: "1", Title: "go to the next tab", Detail: "ctrl+pgdown, and others"}, {ID: "2", Title: "leave", Detail: "ctrl+d"},
	}})
	if text := shownBy(s, 40, 10); !strings.Contains(text, "go to the next tab") {
		t.Errorf("a name is cut:\n%s", text)
	}
}

// Where a filter fits nothing, there is nothing that enter could choose.
func TestAListWithoutAFitSaysNotThatEnterChooses(t *testing.T) {
	env, _ := newEnv()
	s := NewSelector(env, List{Title: "Mode", Filter: true, Items: []Item{{ID: "ask", Title: "Ask"}, {ID: "code", Title: "Code"}}})
	chooses := func() bool {
		for _, h := range s.Hints() {
			if h.Text == "choose" {
				return true
			}
		}
		return false
	}
	if !chooses() {
		t.Error("nothing says that enter chooses")
	}
	s.Paste("zzz")
	if chooses() {
		t.Error("enter is said to choose, and nothing is there to be chosen")
	}
}

// A form says whole what each of its fields wants, and shows all of its buttons.
func TestAFormIsNotCutInANarrowWindow(t *testing.T) {
	env, c := newEnv()
	d := NewElicitation(env, formElicitation(), "Claude Code")
	c.pass(time.Second)
	text := shownBy(d, 40, 100)
	for _, whole := range []string{"Accept", "Decline", "Cancel"} {
		if !strings.Contains(text, whole) {
			t.Errorf("%q is cut:\n%s", whole, text)
		}
	}
	if strings.Contains(text, "…") {
		t.Errorf("something is cut:\n%s", text)
	}
}

// Where only a few lines of what is asked about have room, a page is all of them.
func TestASmallPageHasNoLineTwice(t *testing.T) {
	d, _ := armed(editPermission())
	shown := func() int { return d.placement.shown }
	d.View(40, 8)
	if shown() != 2 {
		t.Fatalf("%d lines are shown", shown())
	}
	top := d.scroll.Top
	d.Key(press("pgdown"))
	if by := d.scroll.Top - top; by != 2 {
		t.Errorf("a page of 2 lines goes %d on", by)
	}
}
