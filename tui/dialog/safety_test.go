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
	"parley/internal/test"
	"parley/tui/list"
	"parley/tui/toolview"
)

// A key that was meant for a question that the agent has withdrawn answers no other.
func TestAWithdrawnQuestionLeavesTheNextInert(t *testing.T) {
	s, env, c := newStack()
	conv := conversation.New()
	permissions(conv, 1, 2)
	for _, p := range slices.Backward(test.Permissions(conv)) {
		s.Push(NewPermission(env, p, 2))
	}
	c.pass(time.Minute)
	conv.Apply(conversation.QuestionClosed{ID: 1})
	s.Follow(conv)
	if in := s.ArmsIn(c.now()); in != ReplaceTime {
		t.Errorf("the next question takes keys in %v, want %v", in, ReplaceTime)
	}
}

// A key that has marked an answer of a question that loses the keys is text.
func TestAMarkingKeyIsTextWhenTheQuestionLosesTheKeys(t *testing.T) {
	s, env, c := newStack()
	d := NewPermission(env, editPermission(), 1)
	s.Push(d)
	c.pass(time.Minute)
	for name, lose := range map[string]func(){
		"regained": s.Regain, "hidden": s.Hide, "shown again": s.Show, "covered": func() { s.Push(newEntry(env, app.Question{})) },
	} {
		c.pass(time.Minute)
		d.View(100, 60)
		d.Key(press("y"))
		lose()
		if keys := s.Typed(); len(keys) != 1 || keys[0].String() != "y" || d.replies.marked >= 0 {
			t.Errorf("%s: the text is %v, and %d is marked", name, keys, d.replies.marked)
		}
		for s.Top() != d {
			s.Pop()
		}
		s.Show()
	}
}

// No click answers while a part of the question or an answer was not in sight.
func TestClicksAnswerNothingBeforeTheEndWasSeen(t *testing.T) {
	d, c := armed(longCommand())
	v := d.View(80, 20)
	c.pass(LookTime)
	y := lineWith(t, v, "Yes")
	for range 2 {
		if got := click(d, y); got != nil || d.why != unseenWords {
			t.Errorf("a click did %#v, and says %q", got, d.why)
		}
	}
	d.Key(press("end"))
	y = lineWith(t, d.View(80, 20), "Yes")
	c.pass(LookTime)
	for _, button := range []tea.MouseButton{tea.MouseRight, tea.MouseMiddle} {
		if got := d.Mouse(tea.MouseClickMsg{Button: button, X: 10, Y: y}, 10, y); got != nil {
			t.Errorf("a click of button %v did %#v", button, got)
		}
	}
	if got := click(d, y); got != giving(seen(8), "once") {
		t.Errorf("once the end was seen, a click did %#v", got)
	}
}

// Text for the prompt, typed or pasted, unmarks the answer: enter at its end marks again
// and gives nothing.
func TestTextUnmarksTheAnswer(t *testing.T) {
	for name, text := range map[string]func(*Permission) Action{
		"typed":  func(d *Permission) Action { return d.Key(press("x")) },
		"pasted": func(d *Permission) Action { return d.Paste("1") },
	} {
		d, c := armed(editPermission())
		d.Key(press("down"))
		d.Key(press("down"))
		d.Key(press("down"))
		if got := text(d); got != (NotTaken{}) {
			t.Errorf("%s: the text did %#v", name, got)
		}
		c.pass(QuietTime)
		if got := d.Key(press("enter")); got != nil || d.replies.marked != 0 {
			t.Errorf("%s: enter did %#v, and %d is marked", name, got, d.replies.marked)
		}
	}
}

// Enter with nothing marked marks what allows once, wherever the agent lists it.
func TestEnterMarksWhatAllowsOnce(t *testing.T) {
	p := editPermission()
	p.Options = []acpclient.PermissionOption{p.Options[2], p.Options[1], p.Options[0]}
	d, _ := armed(p)
	if got := d.Key(press("enter")); got != nil || d.replies.marked != 2 {
		t.Errorf("enter did %#v, and %d is marked", got, d.replies.marked)
	}
}

// What was seen counts no more when the panel has another width or is lower: lines break
// elsewhere, and the end is out of sight.
func TestWhatWasSeenIsForgottenOnResize(t *testing.T) {
	for _, size := range [][2]int{{100, 14}, {40, 60}} {
		p := longCommand()
		d, _ := armed(p)
		d.View(100, 60)
		if got := answers(d, "1", "enter"); len(got) != 1 {
			t.Fatalf("it took no answer with all of it in sight: %q", d.why)
		}
		d, c := armed(p)
		d.View(100, 60)
		d.View(size[0], min(size[1], 14))
		if size[1] > 14 { // the width alone: no row less than before
			d, c = armed(p)
			d.View(100, 14)
			d.Key(press("end"))
			d.View(100, 14)
			d.View(size[0], 14)
		}
		c.pass(time.Minute)
		for _, key := range []string{"1", "1", "y", "y"} {
			if got := d.Key(press(key)); got != nil {
				t.Errorf("at %v %q did %#v", size, key, got)
			}
		}
	}
}

// Every part of a question must have been in sight: its beginning, its head, and each of
// its answers.
func TestEveryPartOfAQuestionMustBeSeen(t *testing.T) {
	for part, hide := range map[string]func(*viewed){
		"beginning": func(s *viewed) { s.begun = false },
		"head":      func(s *viewed) { s.head = false },
		"end":       func(s *viewed) { s.ended = false },
		"answer":    func(s *viewed) { s.unseen = 1 },
	} {
		d, _ := armed(editPermission())
		d.View(100, 60)
		hide(&d.viewed)
		if got := answers(d, "1", "1", "y", "y", "enter", "enter"); got != nil {
			t.Errorf("without its %s it took %#v", part, got)
		}
	}

	lines := make(fixed, 30)
	for part, tt := range map[string]struct {
		top   int
		place placement
		seen  func(viewed) bool
	}{
		"beginning": {10, placement{head: 1, shown: 20}, func(s viewed) bool { return s.begun }},
		"end":       {0, placement{head: 1, shown: 29}, func(s viewed) bool { return s.ended }},
		"head":      {0, placement{shown: 30}, func(s viewed) bool { return s.head }},
	} {
		env, _ := newEnv()
		s := viewed{width: 80, height: 30}
		s.note(&panel{th: env.Theme, head: []string{"path"}, body: lines, scroll: &list.Scroll{Top: tt.top}}, nil, tt.place, 80)
		if tt.seen(s) {
			t.Errorf("the %s counts as seen without having been drawn", part)
		}
	}

	p := editPermission()
	for i := range 30 {
		p.Options = append(p.Options, acpclient.PermissionOption{OptionID: acpclient.PermissionOptionID(fmt.Sprint(i)), Name: fmt.Sprint("Answer ", i), Kind: "odd"})
	}
	d, _ := armed(p)
	d.viewed = viewed{}
	d.View(80, 40)
	d.Key(press("end"))
	if text := shownBy(d, 80, 40); strings.Contains(text, "Answer 29") {
		t.Fatalf("all answers are in sight:\n%s", text)
	}
	if got := answers(d, "1", "1", "y", "y"); got != nil {
		t.Errorf("with answers out of sight it took %#v", got)
	}
}

// What is seen of a question while the keys go elsewhere does not count.
func TestAQuestionAsideIsNotSeen(t *testing.T) {
	env, c := newEnv()
	d := NewPermission(env, editPermission(), 1)
	c.pass(LookTime)
	env.Guard.Unfocus("esc returns to the question")
	d.View(100, 60)
	env.Guard.Unfocus("")
	if got := answers(d, "1", "1", "y", "y", "enter", "enter"); got != nil {
		t.Errorf("it took %#v", got)
	}
}

// What is learnt of a change's place or a path's target is news: the question is inert,
// and must be seen again.
func TestNewsAboutAQuestionMustBeSeen(t *testing.T) {
	for name, learn := range map[string]func(*Permission){
		"a path that leads out": func(d *Permission) {
			d.env.Facts.Add(toolview.Found{Targets: map[string]toolview.Target{"/home/ada/greet/main.go": {Outside: true, Real: "/etc/hosts"}}})
		},
		"a change that replaces the file": func(d *Permission) {
			d.asked.Asked = new(*d.asked.Asked)
			d.asked.Asked.Files = []conversation.FileSeen{{Path: d.asked.Asked.Content[0].Path, Exists: true, Text: "everything\n"}}
			d.asked.Revision++
		},
	} {
		env, c := newEnv()
		env.Facts = &toolview.Facts{Roots: []string{env.Cwd}}
		p := editPermission()
		p.Asked.Content[0].OldText = nil
		d := NewPermission(env, p, 1)
		c.pass(LookTime)
		d.View(80, 40)
		learn(d)
		d.refresh()
		if d.env.Guard.ArmsIn(c.now()) == 0 {
			t.Errorf("%s: it takes keys at once", name)
		}
		c.pass(LookTime)
		if got := answers(d, "1", "1", "y", "y", "enter", "enter"); got != nil {
			t.Errorf("%s: before it was drawn again it took %#v", name, got)
		}
	}
}

// While the user writes a reason for a rejection, a key held down does not send it, pasted
// text is part of it, and the answers take no key right after it.
func TestTheReasonOfARejection(t *testing.T) {
	d, c := armed(editPermission())
	presses(t, d, "tab", "n", "o")
	held := press("enter")
	held.IsRepeat = true
	if got := d.Key(held); got != nil || !d.writing {
		t.Errorf("enter held down did %#v", got)
	}
	if got := d.Paste("t now"); got != nil || d.words.Text() != "not now" {
		t.Errorf("a paste did %#v, and the words are %q", got, d.words.Text())
	}
	d.Key(press("esc"))
	if d.writing || d.env.Guard.ArmsIn(c.now()) == 0 {
		t.Error("the answers take keys right after the reason")
	}
}

// A question of parley's own that makes no sense any more closes, and its keys reach no other.
func TestAQuestionAboutNothingCloses(t *testing.T) {
	s, env, c := newStack()
	open := true
	s.Push(NewPermission(env, editPermission(), 1))
	s.Push(newConfirm(env, app.Question{Title: "T", While: func() bool { return open }}))
	conv := conversation.New()
	s.Follow(conv)
	c.pass(time.Minute)
	open = false
	if s.Follow(conv); len(s.list) > 0 || s.Withdrawn() {
		t.Errorf("it leaves %d open, withdrawn: %v", len(s.list), s.Withdrawn())
	}
	s.Push(NewPermission(env, runPermission(), 1))
	if in := s.ArmsIn(c.now()); in != ReplaceTime {
		t.Errorf("the next question arms in %v", in)
	}
}

// A question that parley asks says what is true now, and is replaced when that changes.
func TestAQuestionSaysWhatIsSo(t *testing.T) {
	s, env, c := newStack()
	amount := "$1"
	var ask func() *app.Question
	ask = func() *app.Question {
		if amount == "" {
			return nil
		}
		return &app.Question{Title: "Raise it?", Choices: []app.Choice{{Name: "To " + amount, Key: "t"}}, Again: ask}
	}
	d := newConfirm(env, *ask())
	s.Push(d)
	shows := func() string { return ansi.Strip(strings.Join(d.View(60, 20).Lines, "\n")) }
	shows()
	c.pass(time.Minute)
	d.Key(press("t"))
	if s.Renew() {
		t.Error("nothing has changed")
	}
	amount = "$2"
	if !s.Renew() || !strings.Contains(shows(), "To $2") || s.ArmsIn(c.now()) == 0 {
		t.Errorf("it takes keys in %v:\n%s", s.ArmsIn(c.now()), shows())
	}
	if a, gives := d.Key(press("enter")).(Chosen); gives {
		t.Errorf("a key that was meant for the other words gives %+v", a)
	}
	amount = ""
	if !s.Renew() || !s.Empty() {
		t.Error("it stays")
	}
}

// A method that parley cannot perform is listed, and no key or click chooses it.
func TestAnAnswerThatIsOffIsNotGiven(t *testing.T) {
	env, c := newEnv()
	d := newAuth(env, "", []acpclient.AuthMethod{{ID: "key", Name: "API key", Type: "odd"}})
	c.pass(LookTime)
	y := lineWith(t, d.View(100, 30), "API key")
	c.pass(LookTime)
	for name, try := range map[string]func() Action{
		"its number": func() Action { d.Key(press("1")); return d.Key(press("1")) },
		"enter":      func() Action { d.mark(-1); d.Key(press("down")); return d.Key(press("enter")) },
		"a click":    func() Action { return click(d, y) },
	} {
		if got := try(); got != nil || d.why != offWords {
			t.Errorf("%s did %#v, and says %q", name, got, d.why)
		}
	}
}

// With Env.Press, the key of an answer gives it at an ordinary question, once nothing follows it, and at no
// other: not an always, nothing sensitive or outside, nothing that is not wholly in sight or has not been
// for long enough, and nothing while the prompt holds text. Those ask as ever, and the hint says so.
func TestOneKeyAnswersAnOrdinaryQuestionOnly(t *testing.T) {
	options := func(list ...acpclient.PermissionOption) func() *conversation.Permission {
		return func() *conversation.Permission {
			p := editPermission()
			p.Options = list
			return p
		}
	}
	option := func(kind acpclient.PermissionOptionKind, name string) func() *conversation.Permission {
		return options(acpclient.PermissionOption{OptionID: "o", Name: name, Kind: kind})
	}
	var many []acpclient.PermissionOption
	for i := range 35 {
		many = append(many, acpclient.PermissionOption{OptionID: acpclient.PermissionOptionID(fmt.Sprint(i)), Name: "Yes" + strings.Repeat(" it", i), Kind: acpclient.AllowOnce})
	}
	drafts := false
	for name, tt := range map[string]struct {
		ask   func() *conversation.Permission
		key   string
		begin func(*Permission)
		then  func(*Permission) // after the key
		gives bool
		hint  bool // that keys answer
	}{
		"an ordinary one":      {key: "y", gives: true, hint: true},
		"by its number":        {key: "3", gives: true, hint: true},
		"pressed twice":        {key: "y", then: func(d *Permission) { d.Key(press("y")) }, gives: true, hint: true},
		"an always":            {key: "a", hint: true},
		"an always by number":  {key: "2", hint: true},
		"one named otherwise":  {ask: option(acpclient.AllowAlways, "Yes"), key: "1"},
		"an always named once": {ask: option(acpclient.AllowOnce, "Yes, for this session"), key: "y"},
		"an allow named no":    {ask: option(acpclient.AllowOnce, "No"), key: "y"},
		"beside a misnamed one": {ask: options(acpclient.PermissionOption{OptionID: "y", Name: "Yes", Kind: acpclient.AllowOnce},
			acpclient.PermissionOption{OptionID: "n", Name: "Allow all", Kind: acpclient.RejectOnce}), key: "y"},
		"another kind":       {ask: option("other", "Yes"), key: "1"},
		"a cut answer":       {ask: option(acpclient.AllowOnce, strings.Repeat("yes allow it ", 30)), key: "y"},
		"what is sensitive":  {key: "y", begin: func(d *Permission) { d.asked.Ordinary = false }},
		"parley's own":       {key: "y", begin: func(d *Permission) { d.asked.File = &conversation.FileQuestion{} }},
		"what is incomplete": {key: "y", begin: func(d *Permission) { d.asked.Asked.Incomplete = true }},
		"what is outside":    {key: "y", begin: func(d *Permission) { d.outside = "/etc" }},
		"not wholly seen":    {ask: longCommand, key: "y"},
		"gone to the end":    {ask: longCommand, key: "y", begin: func(d *Permission) { d.Key(press("end")); d.View(100, 40) }},
		"answers out of sight": {ask: options(many...), key: "y", begin: func(d *Permission) {
			for range many {
				d.Key(press("down"))
				d.View(100, 40)
			}
		}},
		"with a draft":     {key: "y", begin: func(*Permission) { drafts = true }},
		"a draft since":    {key: "y", then: func(*Permission) { drafts = true }, hint: true},
		"a change since":   {key: "y", then: func(d *Permission) { d.asked.Ordinary = false }, hint: true},
		"text behind it":   {key: "y", then: func(d *Permission) { d.Key(press("e")); d.Release() }, hint: true},
		"held down":        {key: "y", then: func(d *Permission) { d.Key(tea.KeyPressMsg{Code: 'y', Text: "y", IsRepeat: true}) }, hint: true},
		"taken back":       {key: "y", then: func(d *Permission) { d.Key(press("backspace")) }, hint: true},
		"too soon":         {key: "y", begin: func(d *Permission) { d.env.Guard.open() }},
		"after typing":     {key: "y", begin: func(d *Permission) { d.env.Guard.Typed() }},
		"what has changed": {key: "y", begin: func(d *Permission) { d.asked.Revision++; d.asked.Asked = noteEdit(3).Asked }, hint: true},
	} {
		ask := tt.ask
		if ask == nil {
			ask = editPermission
		}
		p := ask()
		p.Ordinary, drafts = true, false
		env, c := newEnv()
		env.Press = func() bool { return !drafts }
		d := NewPermission(env, p, 1)
		c.pass(time.Minute)
		d.View(100, 40)
		if tt.begin != nil {
			tt.begin(d)
		}
		hint := slices.ContainsFunc(d.Hints(), func(h Hint) bool { return h.Text == "answer" })
		if got := d.Key(press(tt.key)); got != nil && got != (NotTaken{}) {
			t.Errorf("%s: at once it did %#v", name, got)
		}
		if tt.then != nil {
			tt.then(d)
		}
		d.View(100, 40)
		c.pass(QuietTime - 1)
		if got := d.Due(); got != nil {
			t.Errorf("%s: before the pause it did %#v", name, got)
		}
		c.pass(1)
		if _, given := d.Due().(Answer); given != tt.gives || hint != tt.hint {
			t.Errorf("%s: it is given: %t, and the hint says so: %t", name, given, hint)
		}
	}
	d, c := armed(editPermission())
	d.asked.Ordinary = true
	d.Key(press("y"))
	c.pass(time.Minute)
	if got := d.Due(); got != nil || d.replies.marked < 0 {
		t.Errorf("without the setting it did %#v", got)
	}
	d.env.Press = func() bool { return true }
	d.mark(-1)
	d.Key(press("y"))
	if keys := d.Release(); len(keys) != 1 {
		t.Errorf("a key that loses its question is %v", keys)
	}
}
