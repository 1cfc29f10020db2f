package dialog

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
)

func authMethods() []acpclient.AuthMethod {
	return []acpclient.AuthMethod{
		{ID: "oauth", Name: "Log in with Google", Description: "Opens your browser"},
		{ID: "tty", Name: "Sign in on the command line", Type: acpclient.AuthMethodTerminal, Args: []string{"login", "--no browser"}, Env: map[string]string{"TOKEN": "hush"}},
		{ID: "odd", Name: "Something new", Type: "smartcard"},
	}
}

func TestAuth(t *testing.T) {
	methods := authMethods()
	for _, tt := range []struct {
		keys string
		want Action
	}{
		{"enter", nil},
		{"1", SignIn{"oauth"}},
		{"down enter", SignIn{"oauth"}},
		{"2", SignInTerminal{methods[1]}},
		{"3", nil},
		{"up enter", nil}, // marked, but not supported
		{"esc", Close{}},
	} {
		t.Run(tt.keys, func(t *testing.T) {
			env, c := newEnv()
			d := NewAuth(env, "Gemini", "no credentials", methods)
			if got := strike(d, "1"); got != (NotTaken{}) {
				t.Fatalf("at first 1 did %#v", got)
			}
			c.pass(QuietTime)
			if got := presses(t, d, strings.Fields(tt.keys)...); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("did %#v, want %#v", got, tt.want)
			}
		})
	}
}

func TestAuthShows(t *testing.T) {
	env, c := newEnv()
	d := NewAuth(env, "Gemini", "no credentials", authMethods())
	c.pass(LookTime)
	has := func(wants ...string) {
		t.Helper()
		text := shownBy(d, 100, 30)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not shown in\n%s", want, text)
			}
		}
		if strings.Contains(text, "hush") {
			t.Error("a value of the environment is shown")
		}
	}
	has("Sign in to Gemini", "no credentials", "Log in with Google  Opens your browser", "in this terminal with login '--no browser'", "not supported by parley: smartcard")
	d.Busy("Log in with Google")
	has("Signing in with Log in with Google")
	if got := strike(d, "1"); got != nil {
		t.Errorf("while it is busy, 1 did %#v", got)
	}
	d.Failed(errors.New("the token has expired"))
	has("✗ the token has expired", "Log in with Google")
	if got := strike(d, "1"); got != (SignIn{"oauth"}) {
		t.Errorf("after a failure, 1 did %#v", got)
	}
	d = NewAuth(env, "", "", nil)
	has("Sign in to the agent", "names no way")
}

func TestConfirm(t *testing.T) {
	stop, wait := Run{"stop"}, Run{"wait"}
	q := Confirmation{Title: "Stop it?", Text: "It does not react.", Choices: []Choice{
		{Name: "Stop the agent", Key: "s", Risky: true, Do: stop}, {Name: "Wait", Do: wait},
	}}
	for _, tt := range []struct {
		keys string
		want Action
	}{
		{"enter", nil},
		{"s", nil}, // it ends something
		{"s enter", stop},
		{"1", nil},
		{"1 enter", stop},
		{"2", wait},
		{"up enter", wait},
		{"esc", Close{}},
	} {
		t.Run(tt.keys, func(t *testing.T) {
			env, c := newEnv()
			d := NewConfirm(env, q)
			if got := strike(d, "s"); got != (NotTaken{}) {
				t.Fatalf("at first s did %#v", got)
			}
			c.pass(QuietTime)
			if got := presses(t, d, strings.Fields(tt.keys)...); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("did %#v, want %#v", got, tt.want)
			}
		})
	}
}

func TestConfirmShowsTheEndOfTheDetail(t *testing.T) {
	env, c := newEnv()
	d := NewConfirm(env, Confirmation{Title: "Gone", Text: "It has stopped.", Detail: strings.Repeat("noise\n", 50) + "\x1b[31mthe reason\x1b[0m\n", Choices: []Choice{{Name: "Restart"}}})
	c.pass(LookTime)
	if text := shownBy(d, 80, 16); !strings.Contains(text, "the reason") || !strings.Contains(text, "It has stopped.") {
		t.Errorf("it shows\n%s", text)
	}
	strike(d, "home")
	if text := shownBy(d, 80, 16); strings.Contains(text, "the reason") || !strings.Contains(text, "It has stopped.") {
		t.Errorf("scrolled up it shows\n%s", text)
	}
}

func TestHelp(t *testing.T) {
	cfg, err := config.Parse("test", []byte("[keys]\nmodel = []\nsend = [\"ctrl+enter\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	env, _ := newEnv()
	env.Keys = cfg.Keys
	d := NewHelp(env)
	var all strings.Builder
	for range 20 {
		all.WriteString(shownBy(d, 80, 20))
		if _, below := d.scroll.Hidden(); below == 0 {
			break
		}
		if got := strike(d, "pgdown"); got != nil {
			t.Fatalf("pgdown did %#v", got)
		}
	}
	text := all.String()
	for _, a := range config.Actions() {
		if !strings.Contains(text, a.Help) {
			t.Errorf("%q is not shown", a.Help)
		}
	}
	if !strings.Contains(text, "ctrl+enter") {
		t.Error("the configured key is not shown")
	}
	if i := strings.Index(text, "choose the model"); i < 0 || !strings.HasPrefix(strings.TrimSpace(text[strings.LastIndex(text[:i], "\n"):i]), "no key") {
		t.Error("an action without a key is not shown as one")
	}
	if got := strike(d, "esc"); got != (Close{}) {
		t.Errorf("esc did %#v", got)
	}
}

func TestGuide(t *testing.T) {
	env, _ := newEnv()
	d := NewGuide(env, "Guide", "# The guide\n\n"+strings.Repeat("Some **words**.\n\n", 40)+"The end.\n")
	if text := shownBy(d, 80, 20); !strings.Contains(text, "The guide") || !strings.Contains(text, "Some words.") || strings.Contains(text, "The end.") {
		t.Errorf("it begins with\n%s", text)
	}
	strike(d, "space")
	if text := shownBy(d, 80, 20); strings.Contains(text, "The guide") {
		t.Errorf("a page below it shows\n%s", text)
	}
	strike(d, "end")
	if text := shownBy(d, 60, 20); !strings.Contains(text, "The end.") {
		t.Errorf("at the end it shows\n%s", text)
	}
	for _, k := range []string{"esc", "q"} {
		if got := strike(d, k); got != (Close{}) {
			t.Errorf("%s did %#v", k, got)
		}
	}
}

func TestTheGuideIsReachedFromTheHelp(t *testing.T) {
	env, _ := newEnv()
	if got := NewHelp(env).Key(press("tab")); got != (Run{config.ActionGuide}) {
		t.Errorf("tab did %#v", got)
	}
	if env.Guard.Bounced("tab") {
		t.Error("the guide, where tab lists the sections, does not get the next one")
	}
}

// What is typed leaves the actions that it is about, by their names and by their keys.
func TestTheHelpIsSearched(t *testing.T) {
	env, _ := newEnv()
	for _, tt := range []struct {
		typed, shows, not string
	}{
		{"history", "search earlier prompts", "next mode"}, // the name in the configuration
		{"next mode", "switch to the next mode", "next tab"},
		{"ctrl+p", "open the command palette", "choose the mode"},
		{"alt+7", "show the tab of that number", "name the tab"}, // of many keys, not all are shown
		{"zebra", "Nothing is called so", "next mode"},
	} {
		d := NewHelp(env)
		for _, k := range tt.typed {
			strike(d, strings.ReplaceAll(string(k), " ", "space"))
		}
		if text := shownBy(d, 80, 40); !strings.Contains(text, tt.shows) || strings.Contains(text, tt.not) {
			t.Errorf("%q shows\n%s", tt.typed, text)
		}
		if got := strike(d, "esc"); got != nil || !strings.Contains(shownBy(d, 80, 40), "send the prompt") {
			t.Errorf("the first esc did %#v", got)
		}
		if got := strike(d, "esc"); got != (Close{}) {
			t.Errorf("the second esc did %#v", got)
		}
	}
}

// Where there is room, two actions stand beside each other; both are whole.
func TestTheHelpHasTwoColumns(t *testing.T) {
	env, _ := newEnv()
	two := strings.Split(shownBy(NewHelp(env), 120, 200), "\n")
	one := strings.Split(shownBy(NewHelp(env), 80, 200), "\n")
	if len(two) > len(one)*3/4 {
		t.Errorf("%d lines in two columns, %d in one", len(two), len(one))
	}
	for _, a := range config.Actions() {
		if begin := a.Help[:min(len(a.Help), 24)]; !strings.Contains(strings.Join(two, "\n"), begin) {
			t.Errorf("%q is not shown", a.Help)
		}
	}
}

const sections = "# The book\n\nIt begins.\n\n" +
	"## Apples\n\nRed ones.\n\n```\n# no heading\n```\n\n" +
	"### Of `old` trees\n\nCrooked ones.\n\n" + "## Pears\n\nGreen ones, and **red** ones.\n"

func TestTheGuideHasContents(t *testing.T) {
	env, _ := newEnv()
	d := NewGuide(env, "Book", sections+strings.Repeat("\nMore.\n", 40))
	if text := shownBy(d, 120, 20); !strings.Contains(text, "Of old trees") || !strings.Contains(text, "Pears") {
		t.Errorf("there is room for the contents, and none:\n%s", text)
	}
	if text := shownBy(d, 80, 10); strings.Contains(text, "Pears") {
		t.Errorf("there is no room for the contents:\n%s", text)
	}
	strike(d, "tab")
	if text := shownBy(d, 80, 20); !strings.Contains(text, "Book: contents") || strings.Contains(text, "no heading") {
		t.Errorf("the contents are\n%s", text)
	}
	for _, k := range "pear" {
		strike(d, string(k))
	}
	strike(d, "enter")
	if text := shownBy(d, 80, 10); !strings.Contains(text, "Pears") || strings.Contains(text, "Apples") {
		t.Errorf("the section is shown as\n%s", text)
	}
	strike(d, "[")
	if text := shownBy(d, 80, 10); !strings.Contains(text, "Of old trees") {
		t.Errorf("the section before is shown as\n%s", text)
	}
	strike(d, "tab")
	strike(d, "esc")
	if text := shownBy(d, 80, 10); !strings.Contains(text, "Of old trees") {
		t.Errorf("closing the contents shows\n%s", text)
	}
}

func TestWordsAreFoundInTheGuide(t *testing.T) {
	env, _ := newEnv()
	d := NewGuide(env, "Book", sections+strings.Repeat("\nMore.\n", 40))
	shownBy(d, 80, 10)
	strike(d, "/")
	strike(d, "r")
	strike(d, "e")
	strike(d, "d")
	if text := shownBy(d, 80, 10); !strings.Contains(text, "Red ones.") {
		t.Errorf("the first is shown as\n%s", text)
	}
	strike(d, "enter")
	strike(d, "n")
	if text := shownBy(d, 80, 10); !strings.Contains(text, "Green ones") || !strings.Contains(text, "red: 2 of 2") {
		t.Errorf("the next is shown as\n%s", text)
	}
	strike(d, "n")
	if text := shownBy(d, 80, 10); !strings.Contains(text, "red: 1 of 2") {
		t.Errorf("after the last comes\n%s", text)
	}
	strike(d, "N")
	if text := shownBy(d, 80, 10); !strings.Contains(text, "red: 2 of 2") {
		t.Errorf("before the first comes\n%s", text)
	}
	strike(d, "/")
	strike(d, "z")
	strike(d, "enter")
	if text := shownBy(d, 80, 10); !strings.Contains(text, "not found: redz") {
		t.Errorf("what is not there is told as\n%s", text)
	}
	if got := strike(d, "esc"); got != nil {
		t.Errorf("the first esc did %#v", got)
	}
	if got := strike(d, "esc"); got != (Close{}) {
		t.Errorf("the second esc did %#v", got)
	}
}

func TestWheelScrollsEvenWhileInert(t *testing.T) {
	env, _ := newEnv()
	d := NewPermission(env, editPermission(), 1)
	before := shownBy(d, 80, 14)
	d.Mouse(tea.MouseWheelMsg{Button: tea.MouseWheelDown}, 3, 3)
	if shownBy(d, 80, 14) == before {
		t.Error("the wheel did nothing")
	}
	if got := d.Mouse(tea.MouseClickMsg{Button: tea.MouseLeft}, 3, 10); got != (NotTaken{}) {
		t.Errorf("a click did %#v", got)
	}
}

func TestInertDialogsHaveNoHints(t *testing.T) {
	env, c := newEnv()
	all := []Guarded{
		NewPermission(env, editPermission(), 1), NewElicitation(env, formElicitation(), "A"),
		NewElicitation(env, linkElicitation("https://a.b"), "A"), NewAuth(env, "A", "", authMethods()), NewConfirm(env, Confirmation{Choices: []Choice{{Name: "x"}}}),
	}
	for _, d := range all {
		if hints := d.Hints(); len(hints) > 0 {
			t.Errorf("%T hints at %v while it is inert", d, hints)
		}
	}
	c.pass(LookTime)
	for _, d := range all {
		if !slices.ContainsFunc(d.Hints(), func(h Hint) bool { return h.Key == "esc" }) {
			t.Errorf("%T does not say what esc does: %v", d, d.Hints())
		}
	}
}

// A second press of the key that closed something must not reach the prompt,
// where enter sends it and esc cancels the turn.
func TestKeysThatCloseBounce(t *testing.T) {
	for _, key := range []string{"enter", "esc"} {
		for name, open := range map[string]func(Env) Dialog{
			"selector": func(e Env) Dialog { return NewSelector(e, List{Items: manyModels(3)}) },
			"help":     func(e Env) Dialog { return NewHelp(e) },
			"options":  func(e Env) Dialog { return NewOptions(e, optionConversation()) },
		} {
			env, _ := newEnv()
			d := open(env)
			if name == "options" { // its first row opens a list; the third is set at once
				strike(d, "down")
				strike(d, "down")
			}
			if env.Guard.Bounced(key) {
				t.Errorf("%s: %s bounces before it was pressed", name, key)
			}
			if got := strike(d, key); got == nil {
				t.Errorf("%s: %s did nothing", name, key)
			}
			if !env.Guard.Bounced(key) {
				t.Errorf("%s: a second %s reaches the prompt", name, key)
			}
		}
	}
}
