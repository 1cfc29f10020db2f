package dialog

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// sizes are those of terminals, without the rows of the prompt and of the status.
var sizes = [][2]int{{80, 21}, {60, 17}, {40, 9}}

// noteEdit is the edit that the tour asks for: a line behind some others.
func noteEdit(lines int) *conversation.Permission {
	old := strings.Repeat("- Somebody says that Ada never gets a greeting. Look into it.\n", lines)
	p := editPermission()
	p.Asked.Content = []acpclient.ToolCallContent{acpclient.DiffContent("/home/ada/greet/main.go", &old, old+"- The tour was here.\n")}
	p.Asked.RawInput = nil
	return p
}

// longPlan asks to leave the plan mode, with a plan of 59 steps.
func longPlan() *conversation.Permission {
	var plan strings.Builder
	for i := range 59 {
		fmt.Fprintf(&plan, "%d. Step number %d of the plan\n", i+1, i+1)
	}
	p := runPermission()
	p.Asked = &conversation.ToolCall{ID: "t", Title: "Ready to code?", Kind: acpclient.ToolSwitchMode, Content: []acpclient.ToolCallContent{acpclient.TextContent(plan.String())}}
	return p
}

func longCommand() *conversation.Permission {
	p := runPermission()
	p.Asked.RawInput = []byte(`{"command":` + quote(strings.Repeat("echo harmless\n", 40)+"rm -rf ~") + `}`)
	return p
}

// Everything that would be done has been in sight before a question takes an answer: by
// pages, or at once by the end.
func TestAQuestionTakesNoAnswerBeforeItsEnd(t *testing.T) {
	for _, size := range sizes {
		for name, q := range map[string]struct {
			ask       func() *conversation.Permission
			begin, at string
		}{
			"a short edit": {func() *conversation.Permission { return noteEdit(3) }, "+ - The tour was here.", "+ - The tour was here."},
			"an edit":      {func() *conversation.Permission { return noteEdit(40) }, "+ - The tour was here.", "+ - The tour was here."},
			"a plan":       {longPlan, "Step number 1 of", "Step number 59"},
			"a command":    {longCommand, "$ echo harmless", "rm -rf ~"},
		} {
			for _, key := range []string{"pgdown", "end"} {
				t.Run(fmt.Sprint(size, name, key), func(t *testing.T) {
					env, c := newEnv()
					d := NewPermission(env, q.ask(), 1)
					c.pass(LookTime)
					d.View(size[0], size[1]) // as it is drawn again while nothing happens
					text := shownBy(d, size[0], size[1])
					if !strings.Contains(text, q.begin) {
						t.Errorf("it does not begin with %q:\n%s", q.begin, text)
					}
					for seen := strings.Contains(text, q.at); !seen; seen = strings.Contains(text, q.at) {
						if got := answers(d, "1", "y"); got != nil {
							t.Fatalf("before its end it took %#v:\n%s", got, text)
						}
						d.replies.marked = -1
						if hint := d.Hints()[0]; hint.Key != "pgdown" || d.Hints()[1].Key != "end" {
							t.Fatalf("the hint says %v", d.Hints())
						}
						d.Key(press(key))
						text = shownBy(d, size[0], size[1])
					}
					for range d.replies.list {
						if d.viewed.complete() {
							break
						}
						if d.Hints()[0].Key != "down" {
							t.Errorf("answers are out of sight, and the hint says %v", d.Hints()[0])
						}
						d.Key(press("down"))
						d.View(size[0], size[1])
					}
					if got := answers(d, "1"); len(got) != 1 {
						t.Errorf("it took no answer:\n%s%v", text, d.Hints())
					}
				})
			}
		}
	}
}

// The path of a change stays in sight with every line of it.
func TestThePathStaysAboveItsChange(t *testing.T) {
	for _, size := range sizes {
		env, c := newEnv()
		d := NewPermission(env, editPermission(), 1)
		c.pass(LookTime)
		for _, key := range []string{"", "pgdown", "pgdown", "end", "pgup"} {
			if key != "" {
				d.Key(press(key))
			}
			if text := shownBy(d, size[0], size[1]); strings.Count(text, "main.go  +9 −2") != 1 {
				t.Errorf("at %v after %q:\n%s", size, key, text)
			}
		}
	}
}

// A question that says more of a change than its path does begins with that.
func TestWhatIsSaidOfAChangeComesFirst(t *testing.T) {
	p := noteEdit(40)
	p.Asked.Locations = append(p.Asked.Locations, acpclient.ToolCallLocation{Path: "/etc/passwd"})
	env, c := newEnv()
	d := NewPermission(env, p, 1)
	c.pass(LookTime)
	if text := shownBy(d, 40, 9); !strings.Contains(text, "Greet by name") {
		t.Errorf("it begins with\n%s", text)
	}
}
