package dialog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
)

// answers are what the keys that answer do to a question that was drawn at a size.
func answers(d Dialog, keys ...string) []Action {
	var got []Action
	for _, key := range keys {
		a := d.Key(press(key))
		if a != nil && a != (NotTaken{}) {
			got = append(got, a)
		}
		d.(*Permission).env.Guard.typed = time.Time{}
	}
	return got
}

// A question that cannot be seen, or of which an answer or its subject cannot, takes
// no answer; it takes one once there is room.
func TestAQuestionThatCannotBeSeenTakesNoAnswer(t *testing.T) {
	for _, size := range [][2]int{{80, 0}, {0, 10}, {80, 1}, {80, 2}, {20, 4}, {30, 3}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			for _, p := range []*conversation.Permission{editPermission(), runPermission()} {
				d, _ := armed(p)
				d.View(size[0], size[1])
				if got := answers(d, "1", "1", "2", "enter", "3", "y", "y", "n", "a", "enter", "alt+enter", "down", "enter"); got != nil {
					t.Errorf("it took %#v", got)
				}
				d.View(100, 60)
				if got := answers(d, "1", "enter"); len(got) != 1 {
					t.Error("it took no answer though all of it could be seen")
				}
			}
		})
	}
}

// Half a screen is enough when the rest was scrolled to.
func TestAQuestionTakesAnAnswerOnceItWasScrolled(t *testing.T) {
	p := runPermission()
	p.Asked.RawInput = []byte(`{"command":` + quote(strings.Repeat("echo harmless\n", 40)+"rm -rf ~") + `}`)
	d, _ := armed(p)
	if text := shownBy(d, 60, 14); strings.Contains(text, "rm -rf") || !strings.Contains(text, unseenWords) {
		t.Errorf("the end of the command is in sight, or it is not said why nothing is taken:\n%s", text)
	}
	if got := answers(d, "1", "1", "y", "y", "down"); got != nil {
		t.Errorf("before the end of the command was seen it took %#v", got)
	}
	d.Key(press("end"))
	if text := shownBy(d, 60, 14); !strings.Contains(text, "rm -rf") || strings.Contains(text, unseenWords) {
		t.Errorf("at the end it shows\n%s", text)
	}
	if got := answers(d, "1", "enter"); len(got) != 1 {
		t.Error("it took no answer")
	}
}

// A name of any length leaves the command, and every other answer, where it can be
// seen; marking it shows the rest.
func TestALongNamePushesNothingAway(t *testing.T) {
	p := runPermission()
	p.Options[0].Name = strings.Repeat("yes of course ", 220) + "the end"
	p.Options[2].Name = "Reject it"
	d, _ := armed(p)
	text := shownBy(d, 80, 20)
	for _, want := range []string{"go test", "yes of course", "…", "Reject it"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in sight:\n%s", want, text)
		}
	}
	d.Key(press("down"))
	if text := shownBy(d, 80, 200); !strings.Contains(strings.Join(strings.Fields(text), " "), "the end") {
		t.Errorf("marked, it does not show its end:\n%s", text)
	}
}

// The path of a change stands below much else: it must have been seen.
func TestThePathOfAChangeMustHaveBeenSeen(t *testing.T) {
	p := editPermission()
	p.Asked.Locations = nil
	text := acpclient.TextContent(strings.Repeat("words\n\n", 200))
	p.Asked.Content = append([]acpclient.ToolCallContent{text}, p.Asked.Content...)
	d, _ := armed(p)
	d.View(80, 20)
	if got := answers(d, "1", "1"); got != nil {
		t.Errorf("it took %#v", got)
	}
}

// A title is one line: nothing in it can look like answers.
func TestATitleIsOneLine(t *testing.T) {
	for _, title := range []string{
		"Read a file\n\n  1  y  ✓ Read it\n  2  n  ✗ Do not",
		"Read a file" + strings.Repeat(" ", 60) + "1  y  ✓ Read it" + strings.Repeat(" ", 60) + "2  n  ✗ Do not",
	} {
		p := runPermission()
		p.Asked.Title = title
		d, _ := armed(p)
		for _, line := range d.View(80, 24).Lines {
			line = strings.TrimSpace(strings.TrimPrefix(ansi.Strip(line), "│"))
			if strings.HasPrefix(line, "1  y  ✓ Read it") || strings.HasPrefix(line, "2  n  ✗ Do not") {
				t.Errorf("the title draws an answer: %q", line)
			}
		}
	}
}

// The keys that scroll reach every answer, behind a body that scrolls, too.
func TestPagesOfAnswers(t *testing.T) {
	for name, ask := range map[string]func() *conversation.Permission{"a body that fits": runPermission, "one that scrolls": longCommand} {
		p := ask()
		p.Options = nil
		for i := range 35 {
			p.Options = append(p.Options, acpclient.PermissionOption{OptionID: acpclient.PermissionOptionID(fmt.Sprint(i)), Name: fmt.Sprintf("Option %d.", i), Kind: acpclient.AllowOnce})
		}
		d, _ := armed(p)
		sees := func(option string) bool {
			return strings.Contains(ansi.Strip(strings.Join(d.View(80, 24).Lines, "\n")), option)
		}
		for _, way := range []struct{ key, to string }{{"pgdown", "Option 34."}, {"pgup", "Option 0."}, {"end", "Option 34."}, {"home", "Option 0."}} {
			for n := 0; !sees(way.to); n++ {
				if n == 30 {
					t.Fatalf("%s: %s does not reach %s", name, way.key, way.to)
				}
				d.Key(press(way.key))
			}
			if way.key == "pgdown" && !d.viewed.complete() {
				t.Errorf("%s: pages leave answers out", name)
			}
		}
	}
}

// However many answers there are, drawing costs as much as what is seen of them.
func TestManyAnswersAreDrawnOnlyWhereTheyAreSeen(t *testing.T) {
	cost := func(n int) float64 {
		p := editPermission()
		p.Options = nil
		for i := range n {
			p.Options = append(p.Options, acpclient.PermissionOption{OptionID: acpclient.PermissionOptionID(fmt.Sprint(i)), Name: "Allow it", Kind: "odd"})
		}
		d, _ := armed(p)
		d.View(80, 24)
		return testing.AllocsPerRun(5, func() { d.View(80, 24) })
	}
	if few, many := cost(100), cost(10_000); many > 2*few {
		t.Errorf("drawing 10,000 answers makes %.0f allocations, 100 make %.0f", many, few)
	}
}

// strike presses a key and, if that marks an answer by itself, the one that accepts.
// What reaches further than this one step stays marked.
func strike(d Dialog, key string) Action {
	draw(d)
	a := d.Key(press(key))
	if q, ok := d.(interface{ byKey() (reply, bool) }); ok && a == nil {
		if r, marked := q.byKey(); marked && !r.enterOnly {
			return d.Key(press("enter"))
		}
	}
	return a
}

// byKey is the reply that a key of its own has marked.
func (q *question) byKey() (r reply, ok bool) {
	if q.marker.Code == 0 {
		return r, false
	}
	return q.replies.list[q.replies.marked], true
}

// draw draws a question that was not drawn yet, with room for all of it.
func draw(d Dialog) {
	if q, ok := d.(interface{ drawn() bool }); ok && !q.drawn() {
		d.View(100, 100)
	}
}

func (q *question) drawn() bool { return q.viewed.height > 0 }

// A click gives an answer, unless that reaches further than this one question: then it
// marks, and the key that accepts gives it.
func TestAClickGivesAnAnswer(t *testing.T) {
	d, c := armed(editPermission())
	click := func(name string) Action {
		d.View(80, 40)
		c.pass(LookTime)
		y := slices.IndexFunc(d.View(80, 40).Lines, func(l string) bool { return strings.Contains(l, name) })
		return d.Mouse(tea.MouseClickMsg{Button: tea.MouseLeft, X: 10, Y: y}, 10, y)
	}
	for range 2 {
		if got := click("don't ask again"); got != nil {
			t.Errorf("a click on an always did %#v", got)
		}
	}
	if got := strike(d, "enter"); got != giving(seen(7), "always") {
		t.Errorf("enter did %#v", got)
	}
	if got := click("No, and tell"); got != giving(seen(7), "no") {
		t.Errorf("a click did %#v", got)
	}
}

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
			"a short edit": {func() *conversation.Permission { return noteEdit(3) }, "✎ edit", "+ - The tour was here."},
			"an edit":      {func() *conversation.Permission { return noteEdit(40) }, "✎ edit", "+ - The tour was here."},
			"a plan":       {longPlan, "Step number 1 of", "Step number 59"},
			"a command":    {longCommand, "$ echo harmless", "and clean up"},
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
						if got := answers(d, "1", "1", "y", "y"); got != nil {
							t.Fatalf("before its end it took %#v:\n%s", got, text)
						}
						d.replies.marked = -1
						if hint := d.Hints()[0]; hint.Key != "pgdown" || d.Hints()[1] != (Hint{"enter", "to the end"}) {
							t.Fatalf("the hint says %v", d.Hints())
						}
						d.Key(press(key))
						text = shownBy(d, size[0], size[1])
					}
					for range d.replies.list {
						if d.viewed.complete() {
							break
						}
						if d.Hints()[0].Key != "pgdown" {
							t.Errorf("answers are out of sight, and the hint says %v", d.Hints()[0])
						}
						d.Key(press("pgdown"))
						d.View(size[0], size[1])
					}
					if got := answers(d, "1", "enter"); len(got) != 1 {
						t.Errorf("it took no answer:\n%s%v", text, d.Hints())
					}
				})
			}
		}
	}
}

// The path of a change stays in sight with every line of it, once what is above it is not.
func TestThePathStaysAboveItsChange(t *testing.T) {
	for _, size := range sizes {
		env, c := newEnv()
		d := NewPermission(env, editPermission(), 1)
		c.pass(LookTime)
		for _, key := range []string{"", "pgdown", "pgdown", "end", "pgup"} {
			if key != "" {
				d.Key(press(key))
			}
			if text := shownBy(d, size[0], size[1]); !strings.Contains(text, "✎ edit") && strings.Count(text, "main.go  +9 −2") != 1 {
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

// lineWith is the line of a view on which some words stand.
func lineWith(t *testing.T, v View, words string) int {
	t.Helper()
	for y, line := range v.Lines {
		if strings.Contains(ansi.Strip(line), words) {
			return y
		}
	}
	t.Fatalf("no line has %q:\n%s", words, ansi.Strip(strings.Join(v.Lines, "\n")))
	return -1
}

func click(d Dialog, y int) Action {
	return d.Mouse(tea.MouseClickMsg{Button: tea.MouseLeft, X: 10, Y: y}, 10, y)
}

// While words are written to a question its answers are out of sight: no click gives one
// of them, wherever the line with the words stands.
func TestClicksAnswerNothingWhileWordsAreWritten(t *testing.T) {
	d, c := armed(editPermission())
	d.View(80, 40)
	presses(t, d, "tab", "n", "o")
	v := d.View(80, 40)
	c.pass(time.Second)
	for _, words := range []string{"❯ no", "No, and tell the agent what"} {
		y := lineWith(t, v, words)
		for range 2 {
			if got := click(d, y); got != nil {
				t.Errorf("a click on %q did %#v", words, got)
			}
		}
	}
	if got := presses(t, d, "enter"); got != (RejectWith{seen(7), "no", "no"}) {
		t.Errorf("enter did %#v", got)
	}
}

// A click that comes before the answers are drawn anew is on none of them.
func TestAClickOnAnswersThatAreNotDrawnYet(t *testing.T) {
	env, c := newEnv()
	d := newAuth(env, "no credentials", authMethods())
	c.pass(LookTime)
	y := lineWith(t, d.View(100, 30), "Log in with Google")
	asked := d.asked
	d.Set(app.Question{})
	d.Set(asked)
	for range 2 {
		if got := click(d, y); got != nil {
			t.Errorf("a click did %#v", got)
		}
	}
	y = lineWith(t, d.View(100, 30), "Log in with Google")
	c.pass(LookTime)
	if got := did(click(d, y)); got != (picked{"oauth"}) {
		t.Errorf("once they are drawn, a click did %#v", got)
	}
}

// A click answers what was drawn: if the agent has changed what it asks since then, it is
// no answer to that.
func TestAClickOnAQuestionThatHasChanged(t *testing.T) {
	conv, p := proposed()
	d, c := armed(p)
	y := lineWith(t, d.View(100, 30), p.Options[0].Name)
	conv.Apply(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "t", RawInput: []byte(`{"command":"rm"}`)}})
	if got := click(d, y); got != (NotTaken{}) {
		t.Errorf("a click on what has changed did %#v", got)
	}
	c.pass(ReplaceTime)
	y = lineWith(t, d.View(100, 30), p.Options[0].Name)
	if got := click(d, y); got != giving(p.Seen, p.Options[0].OptionID) || p.Revision != 2 {
		t.Errorf("once it was seen, a click did %#v", got)
	}
}

// A revision that looks the same is none to the user: the mark stays, and the answer is for the new
// one.
func TestAChangeThatNobodySees(t *testing.T) {
	conv, p := proposed([]string{"allow execute"})
	conv.Cwd = "/home/ada/greet"
	d, _ := armed(p)
	draw(d)
	d.Key(press("y"))
	before := p.Seen
	conv.Apply(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "t", RawInput: []byte(`{"command":"go test","cwd":"/home/ada/greet"}`)}})
	if text := shownBy(d, 100, 30); strings.Contains(text, changedWords) || !strings.Contains(text, "Always allow") || p.Seen == before {
		t.Errorf("revision %d:\n%s", p.Revision, text)
	}
	if got := d.Key(press("enter")); got != giving(p.Seen, p.Options[0].OptionID) {
		t.Errorf("enter did %#v", got)
	}
}

// A title that may be all that says what a call does is seen whole, and a change at its end, too.
func TestAChangeAtTheEndOfALongTitle(t *testing.T) {
	title := "echo ok; #" + strings.Repeat("#", 300)
	conv, p := proposed(nil)
	conv.Apply(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "t", Title: &title, RawInput: []byte(`{"x":1}`)}})
	d, _ := armed(p)
	draw(d)
	d.Key(press("y"))
	title += "; rm -rf /"
	conv.Apply(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "t", Title: &title}})
	if text := shownBy(d, 100, 30); !strings.Contains(text, changedWords) || !strings.Contains(text, "rm -rf /") {
		t.Errorf("it shows\n%s", text)
	}
}

// A change under a mark takes the mark and its key: the same key marks again, and is no text.
func TestAChangeTakesTheMarkAndTheKey(t *testing.T) {
	for _, key := range []string{"y", "1", "2", "down", "enter"} {
		conv, p := proposed([]string{"allow execute"})
		d, c := armed(p)
		draw(d)
		if got := d.Key(press(key)); got != nil || d.replies.marked < 0 {
			t.Fatalf("%s did %#v", key, got)
		}
		conv.Apply(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "t", RawInput: []byte(`{"command":"rm -rf ~"}`)}})
		if text := shownBy(d, 100, 30); !strings.Contains(text, changedWords) {
			t.Errorf("it does not say that it has changed:\n%s", text)
		}
		if keys := d.Release(); len(keys) > 0 {
			t.Errorf("the key %v is text", keys)
		}
		c.pass(ReplaceTime)
		draw(d)
		if hint := d.Hints()[0].Text; !strings.HasPrefix(hint, "select ") {
			t.Errorf("after %s and a change the hint says %q", key, hint)
		}
		if got := d.Key(press(key)); got != nil {
			t.Errorf("%s did %#v to what has changed", key, got)
		}
	}
}

// The words of answers and questions stay whole where lines break.
func TestWordsOfAnswersStayWhole(t *testing.T) {
	p := runPermission()
	p.Options = []acpclient.PermissionOption{
		{OptionID: "y", Kind: acpclient.AllowOnce, Name: "Start the implementation"},
		{OptionID: "n", Kind: acpclient.RejectOnce, Name: "Keep planning"},
	}
	d, _ := armed(p)
	if shown := shownBy(d, 36, 30); !strings.Contains(shown, "implementation") {
		t.Errorf("the screen is\n%s", shown)
	}
}

// The same key again gives, whatever the pause between the two; an always takes enter only.
func TestTheSameKeyTwiceGives(t *testing.T) {
	for keys, want := range map[string]Action{
		"y y": giving(seen(7), "once"), "1 1": giving(seen(7), "once"), "n n": giving(seen(7), "no"), "3 3": giving(seen(7), "no"),
		"a a a": nil, "2 2 2": nil, "a a enter": giving(seen(7), "always"), "y up down y": nil,
		"enter enter": giving(seen(7), "once"), "y backspace y": nil,
	} {
		d, c := armed(editPermission())
		var got Action
		for _, key := range strings.Fields(keys) {
			got = d.Key(press(key))
			d.View(100, 100)
			if c.pass(time.Second); got == nil {
				got = d.Due()
			}
			if got != nil && want == nil {
				t.Errorf("%q gave %#v", keys, got)
			}
		}
		if got != want {
			t.Errorf("%q did %#v, want %#v", keys, got, want)
		}
	}
}

// The same key again gives only if nothing follows it at once. What follows is text, and both
// keys before it; enter gives without a pause; any other key keeps the mark.
func TestADoubledKeyGivesAfterAPause(t *testing.T) {
	for _, tt := range []struct {
		follows string
		did     Action
		text    string
		marked  bool
	}{
		{":", NotTaken{}, "11", false},
		{"1", NotTaken{}, "11", false},
		{"space", NotTaken{}, "11", false},
		{"enter", giving(seen(7), "once"), "", true},
		{"down", nil, "", true},
		{"backspace", nil, "", false},
		{"ctrl+r", nil, "1", true},
		{"f7", NotTaken{}, "1", true},
	} {
		d, c := armed(editPermission())
		d.View(100, 100)
		for range 2 {
			if got := d.Key(press("1")); got != nil {
				t.Fatalf("1 did %#v", got)
			}
		}
		if in := d.GivesIn(c.now()); in != QuietTime {
			t.Errorf("it gives in %v", in)
		}
		c.pass(QuietTime - 1)
		if got := d.Due(); got != nil {
			t.Errorf("it gave %#v too early", got)
		}
		if got := d.Key(press(tt.follows)); got != tt.did {
			t.Errorf("%s did %#v", tt.follows, got)
		}
		if marked := d.replies.marked >= 0; marked != tt.marked {
			t.Errorf("after %s an answer is marked: %v", tt.follows, marked)
		}
		text := ""
		for _, k := range d.Release() {
			text += k.String()
		}
		if text != tt.text {
			t.Errorf("before %s, %q is text", tt.follows, text)
		}
		c.pass(time.Minute)
		if got := d.Due(); got != nil || d.GivesIn(c.now()) != 0 {
			t.Errorf("after %s it gave %#v", tt.follows, got)
		}
	}
}

// What changes, or is out of sight, within the pause is not given.
func TestADoubledKeyGivesWhatIsInSight(t *testing.T) {
	for name, change := range map[string]func(*conversation.Conversation, *Permission){
		"the question changes": func(conv *conversation.Conversation, _ *Permission) {
			conv.Apply(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "t", RawInput: []byte(`{"command":"rm"}`)}})
		},
		"the keys go elsewhere": func(_ *conversation.Conversation, d *Permission) { d.env.Guard.Unfocus("elsewhere") },
		"something is pasted":   func(_ *conversation.Conversation, d *Permission) { d.Paste("text") },
		"a click": func(_ *conversation.Conversation, d *Permission) {
			d.Mouse(tea.MouseClickMsg{Button: tea.MouseLeft}, 1, 1)
		},
		"the wheel": func(_ *conversation.Conversation, d *Permission) {
			d.Mouse(tea.MouseWheelMsg{Button: tea.MouseWheelDown}, 1, 1)
		},
		"it is small": func(_ *conversation.Conversation, d *Permission) { d.View(30, 3) },
	} {
		conv, p := proposed()
		d, c := armed(p)
		d.View(100, 100)
		d.Key(press("1"))
		d.Key(press("1"))
		change(conv, d)
		c.pass(QuietTime)
		if got := d.Due(); got != nil {
			t.Errorf("%s: it gave %#v", name, got)
		}
	}
	d, c := armed(editPermission())
	d.View(100, 100)
	d.Key(press("1"))
	d.Key(press("1"))
	c.pass(QuietTime)
	d.env.Guard.Typed() // elsewhere
	if got := d.Due(); got != nil {
		t.Errorf("while the question takes no keys it gave %#v", got)
	}
}

// Enter without a reason says what is missing.
func TestEnterWithoutAReasonIsNotSilent(t *testing.T) {
	d, _ := armed(editPermission())
	presses(t, d, "tab")
	for _, keys := range []string{"enter", "space enter"} {
		if got := presses(t, d, strings.Fields(keys)...); got != nil {
			t.Errorf("%s did %#v", keys, got)
		}
		if text := shownBy(d, 100, 30); !strings.Contains(text, noWords) {
			t.Errorf("after %s it does not say what is missing:\n%s", keys, text)
		}
	}
	d.Key(press("x"))
	if text := shownBy(d, 100, 30); strings.Contains(text, noWords) {
		t.Errorf("with a reason it says that there is none:\n%s", text)
	}
}

// A click gives what has been where it is for as long as a key would need.
func TestAClickNeedsWhatAKeyNeeds(t *testing.T) {
	env, c := newEnv()
	env.Guard.open()
	d := NewPermission(env, editPermission(), 1)
	at := func(width int) int { return lineWith(t, d.View(width, 60), "No, and") }
	for range 5 { // a user who is clicking there already
		c.pass(LookTime - 1)
		if got := click(d, at(100)); got != (NotTaken{}) {
			t.Errorf("a click did %#v", got)
		}
	}
	at(30)
	c.pass(QuietTime)
	before := at(30)
	d.Key(press("2"))
	if at(30) == before { // the name of the marked answer is whole
		t.Fatal("nothing has moved")
	}
	if got := click(d, at(30)); got != nil || d.replies.marked != 2 || d.why != movedWords {
		t.Errorf("a click on what has just moved did %#v, and says %q", got, d.why)
	}
	at(30)
	c.pass(LookTime)
	if got := click(d, at(30)); got != giving(seen(7), "no") {
		t.Errorf("a click on what lies still did %#v", got)
	}
}

// Space is no text for an empty prompt, where nobody would see it: it marks, and gives nothing.
func TestSpaceMarks(t *testing.T) {
	d, c := armed(editPermission())
	d.View(100, 100)
	for i, why := range []string{"", spaceWords, spaceWords} {
		if got := d.Key(press("space")); got != nil || d.replies.marked != 0 || d.why != why {
			t.Errorf("space %d did %#v, marked %d, and says %q", i, got, d.replies.marked, d.why)
		}
		c.pass(time.Second)
	}
	if keys := d.Release(); len(keys) > 0 {
		t.Errorf("%v is text", keys)
	}
	if got := d.Due(); got != nil {
		t.Errorf("it gave %#v", got)
	}
	if got := d.Key(press("enter")); got != giving(seen(7), "once") {
		t.Errorf("enter did %#v", got)
	}
}

// A character that is not the key of the mark is text, with that key before it, and
// nothing is marked any more.
func TestAnotherCharacterIsText(t *testing.T) {
	for _, keys := range []string{"y e", "1 s", "1 2", "y n", "a n", "y space", "2 9"} {
		d, _ := armed(editPermission())
		first, second, _ := strings.Cut(keys, " ")
		if got := d.Key(press(first)); got != nil {
			t.Errorf("%q: the first key did %#v", keys, got)
		}
		if got := d.Key(press(second)); got != (NotTaken{}) {
			t.Errorf("%q: the second key did %#v", keys, got)
		}
		if k := d.Release(); len(k) != 1 || k[0].String() != first {
			t.Errorf("%q: %v is text, want %q", keys, k, first)
		}
		d.env.Guard.typed = time.Time{}
		if got := d.Key(press("enter")); got != nil || d.replies.marked != 0 {
			t.Errorf("%q: enter did %#v", keys, got)
		}
	}
}

// The hint line says what the key that accepts does now, and the marked answer is in
// reverse.
func TestHintsSayWhatComesNext(t *testing.T) {
	d, _ := armed(editPermission())
	for _, tt := range []struct{ keys, want string }{
		{"", "enter: select Yes"},
		{"enter", "enter: Yes"},
		{"y", "enter or y: Yes"},
		{"backspace 1", "enter or 1: Yes"},
		{"down", "enter: Yes, and don't ask again for ed…"},
		{"backspace up down", "enter: Yes, and don't ask again for ed…"},
	} {
		for _, key := range strings.Fields(tt.keys) {
			d.Key(press(key))
		}
		if got := d.Hints()[0]; got.Key+" "+got.Text != tt.want {
			t.Errorf("after %q the hint says %v, want %q", tt.keys, got, tt.want)
		}
	}
	v := d.View(100, 60)
	if line := v.Lines[lineWith(t, v, "❯ 2")]; !strings.Contains(line, "[1;7;") {
		t.Errorf("the marked answer is not in reverse: %q", line)
	}
	if line := v.Lines[lineWith(t, v, "No, and tell")]; strings.Contains(line, "[1;7;") {
		t.Errorf("another answer is in reverse: %q", line)
	}
}

// While the prompt holds text, keys are the prompt's, and alt with arrows and enter
// answers.
func TestADraftGetsTheKeys(t *testing.T) {
	d, _ := armed(editPermission())
	d.env.Drafting, d.env.Sends = func() bool { return true }, func() string { return "queue the prompt" }
	for _, key := range []string{"y", "1", "enter", "down", "up"} {
		if got := d.Key(press(key)); got != (NotTaken{}) || d.replies.marked >= 0 {
			t.Errorf("%q did %#v, and %d is marked", key, got, d.replies.marked)
		}
		d.env.Guard.typed = time.Time{}
	}
	if got := d.Hints()[:2]; !slices.Equal(got, []Hint{{"alt+enter:", "select Yes"}, {"enter", "queue the prompt"}}) {
		t.Errorf("the hints are %v", got)
	}
	for _, key := range []string{"alt+1", "alt+3"} {
		if got := d.Key(press(key)); got != (NotTaken{}) {
			t.Errorf("%q did %#v", key, got)
		}
		d.env.Guard.typed = time.Time{}
	}
	d.Key(press("alt+down"))
	if got := d.Key(press("alt+enter")); got != giving(seen(7), "once") {
		t.Errorf("alt+down alt+enter did %#v", got)
	}
	d, _ = armed(editPermission())
	d.Key(press("down"))
	if got := d.Key(press("alt+enter")); got != (NotTaken{}) {
		t.Errorf("esc and enter, which arrived as one key, did %#v", got)
	}
}

// Where an answer is blocked, every key scrolls or says why it does not count.
func TestKeysAtAQuestionThatMustBeScrolled(t *testing.T) {
	for _, key := range []string{"y", "1", "9", "x", "space"} {
		d, _ := armed(longCommand())
		d.View(80, 14)
		if got := d.Key(press(key)); got != nil || d.why == "" {
			t.Errorf("%q did %#v, and says %q", key, got, d.why)
		}
		if text := shownBy(d, 80, 14); !strings.Contains(text, unseenWords) {
			t.Errorf("after %q it shows\n%s", key, text)
		}
	}
	d, _ := armed(longCommand())
	d.View(80, 14)
	for _, want := range []Hint{{"enter", "to the end"}} {
		if !slices.Contains(d.Hints(), want) {
			t.Errorf("the hints are %v, want %v", d.Hints(), want)
		}
	}
	if got := d.Key(press("enter")); got != nil {
		t.Errorf("enter did %#v", got)
	}
	if text := shownBy(d, 80, 14); !strings.Contains(text, "rm -rf ~") {
		t.Errorf("after enter it shows\n%s", text)
	}
	if got := presses(t, d, "enter", "enter"); got != giving(seen(8), "once") {
		t.Errorf("then enter, twice, did %#v", got)
	}
	d, _ = armed(longCommand())
	d.View(80, 1)
	if got := d.Key(press("enter")); got != nil || d.why != smallWords {
		t.Errorf("where there is no room enter did %#v, and says %q", got, d.why)
	}
}

// Between turns there is none to cancel.
func TestNoTurnToCancel(t *testing.T) {
	conv, p := proposed()
	d, _ := armed(p)
	hint := Hint{"esc", "cancel the turn"}
	if d.Follow(conv); slices.Contains(d.Hints(), hint) {
		t.Errorf("between turns the hints are %v", d.Hints())
	}
	conv.Apply(conversation.PromptSent{})
	if d.Follow(conv); !slices.Contains(d.Hints(), hint) {
		t.Errorf("during a turn the hints are %v", d.Hints())
	}
}
