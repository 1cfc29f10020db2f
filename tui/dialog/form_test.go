package dialog

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/session"
)

// oneFieldForm is an armed form of one field, "f".
func oneFieldForm(schema string, required bool) *Form {
	env, c := newEnv()
	raw := `{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"f":` + schema + `}`
	if required {
		raw += `,"required":["f"]`
	}
	d := NewElicitation(env, elicitation(raw+"}}"), "Agent").(*Form)
	c.pass(LookTime)
	return d
}

// accept fills the field in with keys, or types what stands in quotes, and
// presses Accept.
func accept(d *Form, keys string) Action {
	if text, ok := strings.CutPrefix(keys, "'"); ok {
		for _, r := range strings.TrimSuffix(text, "'") {
			if r == ' ' {
				strike(d, "space")
			} else {
				d.Key(press(string(r)))
			}
		}
	} else {
		for _, k := range strings.Fields(keys) {
			strike(d, k)
		}
	}
	for range 3 {
		if d.current() == nil {
			break
		}
		strike(d, "tab")
	}
	a := strike(d, "enter")
	if d.askedAgain {
		return strike(d, "enter")
	}
	return a
}

// The first option is marked, space and digits choose, and enter chooses and goes on, as
// its hint says. A form without any choice is asked about once.
// response is the answer of an elicitation that a dialog gives.
func response(a Action) acpclient.CreateElicitationResponse {
	given, _ := a.(Answer)
	act, _ := given.Act.(session.Answer)
	if act.Form == nil {
		return acpclient.CreateElicitationResponse{}
	}
	return *act.Form
}

func TestChoosingInAForm(t *testing.T) {
	const one, many = `{"type":"string","enum":["a","b","c"]}`, `{"type":"array","items":{"type":"string","enum":["a","b","c"]}}`
	for _, tt := range []struct {
		schema, keys string
		want         any
	}{
		{one, "enter", "a"},
		{one, "space", "a"},
		{one, "2", "b"},
		{one, "down enter", "b"},
		{one, "3 1", "a"},
		{many, "space", []string{"a"}},
		{many, "1 3", []string{"a", "c"}},
		{many, "1 3 1", []string{"c"}},
	} {
		d := oneFieldForm(tt.schema, false)
		if text := shownBy(d, 80, 24); !strings.Contains(text, "❯ ○ a") && !strings.Contains(text, "❯ □ a") {
			t.Errorf("the first option is not marked:\n%s", text)
		}
		if got := response(accept(d, tt.keys)); d.askedAgain || !reflect.DeepEqual(got.Content, map[string]any{"f": tt.want}) {
			t.Errorf("%s: it sends %v", tt.keys, got.Content)
		}
	}
	d := oneFieldForm(one, false)
	for _, key := range []string{"tab", "enter"} {
		if got := strike(d, key); got != nil {
			t.Errorf("%s sends %v", key, got)
		}
	}
	if text := shownBy(d, 80, 24); !strings.Contains(text, "nothing chosen") {
		t.Errorf("it does not ask:\n%s", text)
	}
	if got := response(strike(d, "enter")); got.Action != acpclient.ElicitAccept || len(got.Content) > 0 {
		t.Errorf("the second time it does %v", got)
	}
}

func TestFormValues(t *testing.T) {
	const (
		enum   = `{"type":"string","enum":["a","b"]}`
		titled = `{"type":"string","oneOf":[{"const":"a","title":"First"},{"const":"b","title":"Second"}],"default":"b"}`
		many   = `{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a","b","c"]}}`
		ticked = `{"type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]},"default":["b"]}`
	)
	for _, tt := range []struct {
		name, schema string
		required     bool
		keys         string
		want         any    // nil: left out
		problem      string // instead of being sent
	}{
		{"text", `{"type":"string"}`, false, "'hi you'", "hi you", ""},
		{"empty text", `{"type":"string"}`, false, "", nil, ""},
		{"required text", `{"type":"string"}`, true, "", nil, "fill this in"},
		{"default text", `{"type":"string","default":"d"}`, true, "", "d", ""},
		{"default text, emptied", `{"type":"string","default":"d"}`, false, "backspace", nil, ""},
		{"default of another kind", `{"type":"string","default":7}`, false, "", nil, ""},
		{"too short", `{"type":"string","minLength":3}`, false, "'éé'", nil, "at least 3 characters, has 2"},
		{"characters, not bytes", `{"type":"string","maxLength":2}`, false, "'éé'", "éé", ""},
		{"too long", `{"type":"string","maxLength":2}`, false, "'abc'", nil, "at most 2 characters"},
		{"too short, but left out", `{"type":"string","minLength":3}`, false, "", nil, ""},
		{"pattern", `{"type":"string","pattern":"^[a-z]+$"}`, false, "'ab'", "ab", ""},
		{"pattern anywhere", `{"type":"string","pattern":"b"}`, false, "'abc'", "abc", ""},
		{"not the pattern", `{"type":"string","pattern":"^[a-z]+$"}`, false, "'a1'", nil, "must match"},
		{"pattern of JavaScript's alone", `{"type":"string","pattern":"^(?=a)b$"}`, false, "'zz'", "zz", ""},
		{"pattern that means something else", `{"type":"string","pattern":"^\\Aa\\z$"}`, false, "'zz'", "zz", ""},
		{"email", `{"type":"string","format":"email"}`, false, "'a@b.c'", "a@b.c", ""},
		{"no email", `{"type":"string","format":"email"}`, false, "'a b'", nil, "not an email"},
		{"named email", `{"type":"string","format":"email"}`, false, "'A <a@b.c>'", nil, "not an email"},
		{"uri", `{"type":"string","format":"uri"}`, false, "'mailto:a@b.c'", "mailto:a@b.c", ""},
		{"no uri", `{"type":"string","format":"uri"}`, false, "'example'", nil, "not a URL"},
		{"date", `{"type":"string","format":"date"}`, false, "'2026-02-28'", "2026-02-28", ""},
		{"no date", `{"type":"string","format":"date"}`, false, "'2026-02-30'", nil, "not a date"},
		{"date and time", `{"type":"string","format":"date-time"}`, false, "'2026-02-28T10:00:00Z'", "2026-02-28T10:00:00Z", ""},
		{"no date and time", `{"type":"string","format":"date-time"}`, false, "'2026-02-28'", nil, "not a date and time"},
		{"unknown format", `{"type":"string","format":"haiku"}`, false, "'x'", "x", ""},
		{"integer", `{"type":"integer"}`, false, "'-42'", int64(-42), ""},
		{"default integer", `{"type":"integer","default":3.0}`, false, "", int64(3), ""},
		{"no integer", `{"type":"integer"}`, false, "'1.5'", nil, "not a whole number"},
		{"integer below", `{"type":"integer","minimum":0}`, false, "'-1'", nil, "at least 0"},
		{"number", `{"type":"number"}`, false, "'1.5'", 1.5, ""},
		{"default number", `{"type":"number","default":0.25}`, false, "", 0.25, ""},
		{"no number", `{"type":"number"}`, false, "'NaN'", nil, "not a number"},
		{"number above", `{"type":"number","maximum":1}`, false, "'1.1'", nil, "at most 1"},
		{"required number", `{"type":"number"}`, true, "", nil, "fill this in"},
		{"yes", `{"type":"boolean"}`, false, "space", true, ""},
		{"no", `{"type":"boolean"}`, false, "down space", false, ""},
		{"yes or no left open", `{"type":"boolean"}`, false, "", nil, ""},
		{"going on says neither", `{"type":"boolean"}`, false, "tab", nil, ""},
		{"required yes or no", `{"type":"boolean"}`, true, "", nil, "choose one"},
		{"default no", `{"type":"boolean","default":false}`, true, "", false, ""},
		{"one", enum, false, "down enter", "b", ""},
		{"one, left open", enum, false, "tab", nil, ""},
		{"required one", enum, true, "", nil, "choose one"},
		{"default one", titled, true, "", "b", ""},
		{"another one", titled, true, "up space", "a", ""},
		{"default one, cleared", titled, false, "backspace", nil, ""},
		{"several", many, false, "space down space", []string{"a", "b"}, ""},
		{"too many", many, false, "space down space down space", nil, "choose at most 2"},
		{"none of several", many, false, "", nil, ""},
		{"none of several required", many, true, "", nil, "choose at least 1"},
		{"default several", ticked, false, "", []string{"b"}, ""},
		{"default several, cleared", ticked, false, "backspace", []string{}, ""},
		{"unsupported", `{"type":"polygon"}`, false, "", nil, ""},
		{"unsupported and required", `{"type":"polygon"}`, true, "", nil, "f is required, but parley does not support its type"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := oneFieldForm(tt.schema, tt.required)
			got := accept(d, tt.keys)
			if tt.problem != "" {
				text := strings.Join(strings.Fields(shownBy(d, 100, 30)), " ")
				if got != nil || !strings.Contains(text, tt.problem) {
					t.Errorf("did %#v, and says\n%s", got, text)
				}
				return
			}
			content := map[string]any{}
			if tt.want != nil {
				content["f"] = tt.want
			}
			want := Answer{session.Answer{Question: seen(4), Form: &acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept, Content: content}}}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("did %#v, want %#v\n%s", got, want, shownBy(d, 100, 30))
			}
		})
	}
}

func TestFormAnswers(t *testing.T) {
	answer := func(a acpclient.ElicitationAction) Action {
		return Answer{session.Answer{Question: seen(4), Form: &acpclient.CreateElicitationResponse{Action: a}}}
	}
	for _, tt := range []struct {
		keys string
		want Action
	}{
		{"esc", answer(acpclient.ElicitCancel)},
		{"tab down enter", answer(acpclient.ElicitDecline)},
		{"tab down down enter", answer(acpclient.ElicitCancel)},
		{"tab 2", answer(acpclient.ElicitDecline)},
		{"down down enter", answer(acpclient.ElicitDecline)},
		{"y enter down enter", answer(acpclient.ElicitDecline)},
		{"enter shift+tab 1 2", nil},
	} {
		t.Run(tt.keys, func(t *testing.T) {
			d := oneFieldForm(`{"type":"string"}`, true)
			if got := presses(t, d, strings.Fields(tt.keys)...); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("did %#v, want %#v", got, tt.want)
			}
		})
	}
	text := shownBy(oneFieldForm(`{"type":"string"}`, true), 80, 20)
	if !strings.Contains(text, "3  • Cancel") || !strings.Contains(text, "required") {
		t.Errorf("the form shows\n%s", text)
	}
}

func TestFormIgnoresEnterHeldDown(t *testing.T) {
	d := oneFieldForm(`{"type":"string"}`, false)
	held := press("enter")
	held.IsRepeat = true
	for range 5 {
		if got := d.Key(held); got != nil {
			t.Fatalf("enter held down did %#v", got)
		}
	}
}

// Without fields Accept is marked from the start. Text unmarks it, and enter marks it again.
func TestFormWithoutFields(t *testing.T) {
	form := func() *Form {
		env, c := newEnv()
		d := newForm(env, elicitation(`{"mode":"form","message":"Really?","requestedSchema":{"properties":{}}}`), "")
		d.View(80, 20)
		c.pass(LookTime)
		d.View(80, 20)
		return d
	}
	want := Answer{session.Answer{Question: seen(4), Form: &acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept, Content: map[string]any{}}}}
	d := form()
	if got := d.Hints()[0]; got != (Hint{"enter:", "Accept"}) {
		t.Errorf("the hint says %v", got)
	}
	if got := presses(t, d, "enter"); !reflect.DeepEqual(got, want) {
		t.Errorf("enter did %#v", got)
	}
	d = form()
	if got := presses(t, d, "space"); got != nil || !strings.Contains(shownBy(d, 80, 20), "enter gives the marked answer") {
		t.Errorf("space did %#v, and shows\n%s", got, shownBy(d, 80, 20))
	}
	if got := presses(t, d, "x"); got != (NotTaken{}) {
		t.Errorf("x did %#v", got)
	}
	d.env.Guard.typed = time.Time{}
	if got := d.Hints()[0]; got != (Hint{"enter:", "select Accept"}) {
		t.Errorf("after text the hint says %v", got)
	}
	if got := presses(t, d, "enter", "enter"); !reflect.DeepEqual(got, want) {
		t.Errorf("enter, twice, did %#v", got)
	}
	d = form()
	y := lineWith(t, d.View(80, 20), "Decline")
	x := strings.Index(ansi.Strip(d.View(80, 20).Lines[y]), "Decline") - len("│") + 1
	if got := d.Mouse(tea.MouseClickMsg{Button: tea.MouseLeft, X: x, Y: y}, x, y); !reflect.DeepEqual(got, Answer{session.Answer{Question: seen(4), Form: &acpclient.CreateElicitationResponse{Action: acpclient.ElicitDecline}}}) {
		t.Errorf("a click on Decline did %#v", got)
	}
	// While the prompt holds text, enter is the prompt's, and alt answers.
	d = form()
	d.env.Drafting = func() bool { return true }
	if got := presses(t, d, "enter"); got != (NotTaken{}) {
		t.Errorf("enter at a draft did %#v", got)
	}
	d.env.Guard.typed = time.Time{}
	if got := presses(t, d, "alt+down", "alt+enter"); !reflect.DeepEqual(got, want) {
		t.Errorf("alt+enter did %#v", got)
	}
}

// A form that is filled in by nobody is sent only after a second enter, and a switch that
// was not touched is not sent.
func TestFormThatNobodyFillsIn(t *testing.T) {
	for schema, content := range map[string]map[string]any{
		`{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"}}`: {},
		`{"a":{"type":"string"},"yes":{"type":"boolean"}}`:                    {},
		`{"yes":{"type":"boolean"},"no":{"type":"boolean","default":false}}`:  {"no": false},
	} {
		env, c := newEnv()
		d := newForm(env, elicitation(`{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":`+schema+`}}`), "")
		c.pass(LookTime)
		d.View(80, 30)
		for range d.fields {
			if got := d.Key(press("enter")); got != nil {
				t.Fatalf("%s: in a field enter did %#v", schema, got)
			}
		}
		if len(content) == 0 {
			if got := d.Key(press("enter")); got != nil || !strings.Contains(shownBy(d, 80, 30), "nothing chosen or written: enter again sends it empty") {
				t.Errorf("%s: enter did %#v, and the form shows\n%s", schema, got, shownBy(d, 80, 30))
			}
		}
		want := Answer{session.Answer{Question: seen(4), Form: &acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept, Content: content}}}
		if got := d.Key(press("enter")); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: did %#v", schema, got)
		}
	}
}

// A switch that the user goes to is chosen with enter, as a choice is.
func TestFormSwitchThatWasTouched(t *testing.T) {
	env, c := newEnv()
	d := newForm(env, elicitation(`{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"yes":{"type":"boolean"}}}}`), "")
	c.pass(LookTime)
	d.View(80, 30)
	got := presses(t, d, "down", "enter", "enter")
	if want := (Answer{session.Answer{Question: seen(4), Form: &acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept, Content: map[string]any{"yes": false}}}}); !reflect.DeepEqual(got, want) {
		t.Errorf("did %#v", got)
	}
}

func TestFormOfAnUnknownModeCannotBeAccepted(t *testing.T) {
	env, c := newEnv()
	d := NewElicitation(env, elicitation(`{"mode":"hologram","message":"Look!"}`), "")
	c.pass(LookTime)
	if got := presses(t, d, "enter"); got != nil {
		t.Errorf("accepting did %#v", got)
	}
	if text := shownBy(d, 80, 20); !strings.Contains(text, "does not support this kind of form (hologram)") {
		t.Errorf("it does not say why:\n%s", text)
	}
	if got := presses(t, d, "down", "enter"); !reflect.DeepEqual(got, Answer{session.Answer{Question: seen(4), Form: &acpclient.CreateElicitationResponse{Action: acpclient.ElicitDecline}}}) {
		t.Errorf("declining did %#v", got)
	}
}

func TestFormRequiringWhatItDoesNotDescribe(t *testing.T) {
	env, c := newEnv()
	d := NewElicitation(env, elicitation(`{"mode":"form","message":"m","requestedSchema":{"properties":{},"required":["ghost"]}}`), "")
	c.pass(LookTime)
	if got := presses(t, d, "enter"); got != nil {
		t.Errorf("accepting did %#v", got)
	}
}

func TestFormIsInertAtFirst(t *testing.T) {
	env, c := newEnv()
	d := NewElicitation(env, formElicitation(), "Agent").(*Form)
	for _, k := range []string{"a", "tab", "enter", "esc"} {
		if got := strike(d, k); got != (NotTaken{}) {
			t.Errorf("%q did %#v", k, got)
		}
	}
	if got := d.Paste("secret"); got != (NotTaken{}) || d.fields[0].input.Text() != "" {
		t.Errorf("pasting did %#v and wrote %q", got, d.fields[0].input.Text())
	}
	if v := d.View(80, 24); v.Cursor != nil {
		t.Error("it shows a cursor while it takes no keys")
	}
	c.pass(QuietTime)
	if v := d.View(80, 24); v.Cursor == nil {
		t.Error("it shows no cursor")
	}
	strike(d, "a")
	d.Paste("b\x1b[31mc")
	if got := d.fields[0].input.Text(); got != "abc" {
		t.Errorf("the field holds %q", got)
	}
}

func TestFormGoesToWhatIsWrong(t *testing.T) {
	env, c := newEnv()
	d := NewElicitation(env, formElicitation(), "Agent").(*Form)
	c.pass(time.Second)
	d.View(80, 16)
	for d.current() != nil {
		strike(d, "tab")
	}
	if text := shownBy(d, 80, 16); strings.Contains(text, "Project name") {
		t.Fatalf("the form is not scrolled to the end:\n%s", text)
	}
	if got := strike(d, "enter"); got != nil {
		t.Fatalf("accepting did %#v", got)
	}
	if text := shownBy(d, 80, 16); !strings.Contains(text, "❯ Project name") || !strings.Contains(text, "fill this in") {
		t.Errorf("it does not go to the first field that is wrong:\n%s", text)
	}
	strike(d, "x")
	if d.fields[0].problem != "" {
		t.Error("the problem stays while the field is being changed")
	}
}

func TestLink(t *testing.T) {
	const url = "https://example.com/login?x=1"
	answer := func(a acpclient.ElicitationAction) Action {
		return Answer{session.Answer{Question: seen(5), Form: &acpclient.CreateElicitationResponse{Action: a}}}
	}
	for _, tt := range []struct {
		url, keys string
		want      Action
	}{
		{url, "o", OpenURL{seen(5), url}},
		{url, "1", OpenURL{seen(5), url}},
		{url, "enter", nil},
		{url, "down enter", OpenURL{seen(5), url}},
		{url, "c", Copy{url}},
		{url, "n", answer(acpclient.ElicitDecline)},
		{url, "4", answer(acpclient.ElicitCancel)},
		{url, "esc", answer(acpclient.ElicitCancel)},
		{url, "g", NotTaken{}}, // nothing was copied yet
		{"javascript:alert(1)", "o", NotTaken{}},
		{"javascript:alert(1)", "1", Copy{"javascript:alert(1)"}},
		{"file:///etc/passwd", "o", NotTaken{}},
		{"https:///path", "o", NotTaken{}},
		{"https://a.com\\@b.com/", "o", NotTaken{}},
		{"https://a.com/\x1b[2J", "o", NotTaken{}},
		{"https://a.com/\u202ecom", "o", NotTaken{}},
		{"", "o", NotTaken{}},
	} {
		t.Run(tt.url+" "+tt.keys, func(t *testing.T) {
			env, c := newEnv()
			d := NewElicitation(env, linkElicitation(tt.url), "Agent")
			if got := strike(d, "o"); got != (NotTaken{}) {
				t.Fatalf("at first o did %#v", got)
			}
			c.pass(QuietTime)
			if got := presses(t, d, strings.Fields(tt.keys)...); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("did %#v, want %#v", got, tt.want)
			}
		})
	}
}

func TestLinkShows(t *testing.T) {
	const (
		letters  = "mixes alphabets"
		username = "user name, not the host"
		plainWeb = "Not encrypted"
		refuses  = "parley will not open this"
	)
	for _, tt := range []struct {
		url   string
		has   []string
		lacks []string
	}{
		{"https://example.com/a", []string{"Claude Code asks you", "host     example.com\n", "address  https://example.com/a\n"}, []string{letters, username, plainWeb, refuses}},
		{"https://xn--80ak6aa92e.com/", []string{"host     xn--80ak6aa92e.com\n", "that is  аррӏе.com\n", letters}, []string{refuses}},
		{"https://bücher.example/", []string{"host     bücher.example\n", "that is  xn--bcher-kva.example\n", letters}, nil},
		{"https://google.com@evil.example/", []string{"host     evil.example\n", username}, nil},
		{"http://example.com/", []string{plainWeb}, []string{refuses}},
		{"http://localhost:8080/", []string{"host     localhost\n"}, []string{plainWeb}},
		{"http://[::1]:8080/", []string{"host     ::1\n"}, []string{plainWeb}},
		{"ftp://example.com/", []string{refuses, "http and https"}, nil},
		{"https://a.com/\u200b\x1b[2J", []string{"https://a.com/⟨U+200B⟩␛[2J", refuses}, nil},
	} {
		t.Run(tt.url, func(t *testing.T) {
			env, c := newEnv()
			d := NewElicitation(env, linkElicitation(tt.url), "Claude Code")
			c.pass(LookTime)
			text := shownBy(d, 100, 40)
			for _, want := range tt.has {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not shown in\n%s", want, text)
				}
			}
			for _, not := range tt.lacks {
				if strings.Contains(text, not) {
					t.Errorf("%q is shown in\n%s", not, text)
				}
			}
		})
	}
	t.Run("long", func(t *testing.T) {
		env, c := newEnv()
		long := "https://example.com/?q=" + strings.Repeat("0123456789", 40) + "end"
		e := linkElicitation(long)
		e.Request.Message = strings.Repeat("a very long message ", 100)
		d := NewElicitation(env, e, "A")
		c.pass(LookTime)
		text := strings.NewReplacer("\n", "", " ", "").Replace(shownBy(d, 60, 80))
		if !strings.Contains(text, long) {
			t.Errorf("the address is not shown whole:\n%s", text)
		}
		if top := shownBy(d, 60, 16); !strings.Contains(top, "host     example.com") {
			t.Errorf("the host is out of view:\n%s", top)
		}
	})
}

func TestLinkAfterConsent(t *testing.T) {
	env, c := newEnv()
	e := linkElicitation("https://example.com/")
	d := NewElicitation(env, e, "Agent").(*Link)
	c.pass(LookTime)
	presses(t, d, "o")
	if text := shownBy(d, 80, 24); !strings.Contains(text, "Waiting for the agent") || strings.Contains(text, "Decline") {
		t.Errorf("after opening it shows\n%s", text)
	}
	e.Completed = true
	if text := shownBy(d, 80, 24); !strings.Contains(text, "says it is done") {
		t.Errorf("when it is done it shows\n%s", text)
	}
	c.pass(LookTime)
	if got := strike(d, "esc"); got != (Close{}) {
		t.Errorf("esc did %#v", got)
	}
	if got := strike(d, "1"); got != (Close{}) {
		t.Errorf("1 did %#v", got)
	}
}

func TestLinkOpenedByHand(t *testing.T) {
	env, c := newEnv()
	asked := linkElicitation("https://example.com/")
	d := NewElicitation(env, asked, "Agent").(*Link)
	c.pass(LookTime)
	strike(d, "c")
	want := Answer{session.Answer{Question: seen(5), Form: &acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept}}}
	if got := strike(d, "g"); !reflect.DeepEqual(got, want) {
		t.Errorf("g did %#v", got)
	}
	other := NewElicitation(env, linkElicitation("javascript:alert(1)"), "Agent")
	c.pass(QuietTime)
	if got := presses(t, d, "x"); got != (NotTaken{}) {
		t.Errorf("x did %#v", got)
	}
	c.pass(QuietTime)
	strike(other, "c")
	if got := strike(other, "g"); got != (NotTaken{}) {
		t.Errorf("what parley does not open was accepted: %#v", got)
	}
	asked.Completed = true
	if text := shownBy(d, 80, 24); !strings.Contains(text, "says it is done") {
		t.Errorf("when it is done it shows\n%s", text)
	}
}

// A letter or a paste that nothing in the form takes is text for the prompt, and no button
// stays marked: enter after it answers nothing.
func TestTextBesideTheFieldsOfAFormIsForThePrompt(t *testing.T) {
	one := `{"type":"string","enum":["a","b"]}`
	for name, keys := range map[string][]string{"on the buttons": {"tab"}, "on a choice": nil} {
		t.Run(name, func(t *testing.T) {
			d := oneFieldForm(one, false)
			drafting := false
			d.env.Drafting = func() bool { return drafting }
			for _, key := range keys {
				strike(d, key)
			}
			if got := strike(d, "s"); got != (NotTaken{}) {
				t.Fatalf("a letter did %v", got)
			}
			drafting = true
			for _, key := range []string{"e", "e", "enter"} {
				if got := strike(d, key); got != (NotTaken{}) {
					t.Errorf("%s did %v", key, got)
				}
			}
			if got := d.Paste("words"); got != (NotTaken{}) {
				t.Errorf("a paste did %v", got)
			}
			if d.replies.marked >= 0 {
				t.Error("an answer is marked")
			}
		})
	}
}

// Text goes from the fields to the prompt, and the keys that move between the fields lead back,
// if the prompt has no use for them.
func TestKeysThatAreNoTextLeadBackToTheForm(t *testing.T) {
	for _, key := range []string{"down", "up", "tab", "shift+tab"} {
		for _, lines := range []bool{false, true} {
			env, c := newEnv()
			draft := ""
			env.Drafting = func() bool { return draft != "" }
			env.Edits = func(k string) bool { return draft != "" && lines && (k == "up" || k == "down") }
			d := newForm(env, elicitation(`{"mode":"form","message":"Which?","requestedSchema":{"properties":{"a":{"type":"string","enum":["x","y"]}}}}`), "")
			c.pass(LookTime)
			draw(d)
			if got := d.Key(press("j")); got != (NotTaken{}) {
				t.Fatalf("j did %#v", got)
			}
			draft = "j"
			c.pass(QuietTime)
			draw(d)
			want, entered := Action(nil), true
			if lines && (key == "up" || key == "down") {
				want, entered = NotTaken{}, false // it moves in the draft
			}
			if got := d.Key(press(key)); got != want || d.entered != entered {
				t.Errorf("%s did %#v", key, got)
			}
			if !entered {
				continue
			}
			if got := d.Key(press("2")); got != nil || !d.fields[0].Picked[1] {
				t.Errorf("after %s, 2 did %#v", key, got)
			}
		}
	}
}

// A click on a button of a form gives what has been where it is for as long as a key would need,
// and accepts nothing that was not read to its end.
func TestAClickOnAButtonNeedsWhatAKeyNeeds(t *testing.T) {
	long := strings.Repeat("Really? ", 300)
	for _, message := range []string{"Really?", long} {
		env, c := newEnv()
		env.Guard.open()
		d := newForm(env, elicitation(`{"mode":"form","message":"`+message+`","requestedSchema":{"properties":{}}}`), "")
		height := 20
		click := func() Action {
			lines := d.View(80, height).Lines
			y := lineWith(t, View{Lines: lines}, "Accept")
			x := strings.Index(ansi.Strip(lines[y]), "Accept") - len("│") + 1
			return d.Mouse(tea.MouseClickMsg{Button: tea.MouseLeft, X: x, Y: y}, x, y)
		}
		for range 3 { // a user who is clicking there already
			c.pass(LookTime - 1)
			if got := click(); got != (NotTaken{}) {
				t.Errorf("a click did %#v", got)
			}
		}
		c.pass(QuietTime)
		if message == long {
			if got := click(); got != nil {
				t.Errorf("a click on what was not read did %#v", got)
			}
			d.Key(press("end"))
			d.View(80, height)
			c.pass(LookTime)
			height = 30 // it moves
		} else {
			height = 13 // as here
		}
		if got := click(); got != nil || d.why != movedWords {
			t.Errorf("a click on what has just moved did %#v, and says %q", got, d.why)
		}
		c.pass(LookTime)
		d.View(80, height)
		c.pass(LookTime)
		if got := response(click()); got.Action != acpclient.ElicitAccept {
			t.Errorf("a click on what lies still did %#v", got)
		}
	}
}

// manyFields is an armed form of so many fields.
func manyFields(n int) *Form {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"f%d":{"type":"string","description":"what to write"}`, i))
	}
	env, c := newEnv()
	d := NewElicitation(env, elicitation(`{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{`+strings.Join(list, ",")+`}}}`), "Agent").(*Form)
	c.pass(LookTime)
	d.View(80, 24)
	return d
}

// A key in a form of many fields draws the one that it changes.
func TestAKeyDrawsOneFieldOfMany(t *testing.T) {
	cost := func(n int) float64 {
		d := manyFields(n)
		return testing.AllocsPerRun(5, func() {
			d.Key(press("x"))
			d.View(80, 24)
		})
	}
	if few, many := cost(50), cost(5000); many > 2*few {
		t.Errorf("a key in a form of 5,000 fields makes %.0f allocations, in one of 50 %.0f", many, few)
	}
}

// However many fields the user has changed between two frames, the form is laid out as if it was new.
func TestAFormOfWhichMuchChanges(t *testing.T) {
	d := manyFields(12)
	for _, f := range d.fields {
		f.problem = "wrong"
	}
	d.layout = formLayout{}
	shownBy(d, 80, 400)
	for range 8 {
		d.Key(press("x"))
		d.Key(press("tab"))
	}
	got := shownBy(d, 80, 400)
	d.layout = formLayout{}
	if want := shownBy(d, 80, 400); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Only the fields in sight are drawn. What a key changes in one, and where a click goes, is right in the
// middle of many, also once lines of problems have come above.
func TestALongFormDrawsWhatIsInSight(t *testing.T) {
	test := func(d *Form, want ...string) {
		t.Helper()
		shown := shownBy(d, 80, 24)
		for _, w := range want {
			if !strings.Contains(shown, w) {
				t.Fatalf("it lacks %q:\n%s", w, shown)
			}
		}
	}
	d := manyFields(3000)
	test(d, "f0", "what to write", "f3")
	for range 1500 {
		d.Key(press("tab"))
	}
	d.Key(press("y"))
	if test(d, "f1500"); d.fields[1500].input.Text() != "y" {
		t.Error("the key went elsewhere")
	}
	d.fields[1490].problem, d.fields[1501].problem = "wrong", "wrong"
	d.content() // which looks again
	d.Key(press("tab"))
	test(d, "f1501")
	shown := strings.Split(shownBy(d, 80, 24), "\n")
	for y, line := range shown {
		if strings.Contains(line, "f1500") {
			d.Mouse(tea.MouseClickMsg{Button: tea.MouseLeft}, 8, y)
		}
	}
	if d.focus != 1500 {
		t.Errorf("a click goes to %d:\n%s", d.focus, strings.Join(shown, "\n"))
	}
}

func BenchmarkFormKey(b *testing.B) {
	for _, n := range []int{500, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := manyFields(n)
			for b.Loop() {
				d.Key(press("x"))
				d.Key(press("backspace"))
				d.View(80, 24)
			}
		})
	}
}

// A key held down presses no button.
func TestAHeldKeyPressesNoButton(t *testing.T) {
	env, c := newEnv()
	d := newForm(env, elicitation(`{"mode":"form","message":"Really?","requestedSchema":{"properties":{}}}`), "")
	c.pass(LookTime)
	draw(d)
	held := press("enter")
	held.IsRepeat = true
	for range 3 {
		if got := d.Key(held); got != nil {
			t.Errorf("a repeated enter did %#v", got)
		}
	}
}
