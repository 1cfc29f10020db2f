package pages

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"

	"parley/config"
	"parley/internal/command"
	"parley/internal/termtext"
	"parley/internal/test"
	"parley/tui/dialog"
)

func newEnv() Env {
	env := (&desk{}).env()
	env.Guard = dialog.NewGuard(time.Now)
	return env
}

func TestMain(m *testing.M) {
	test.HoldRegexpClock()
	m.Run()
}

func strike(d dialog.Dialog, name string) dialog.Action { return d.Key(pressed(name)) }

func shownBy(d dialog.Dialog, width, height int) string {
	return ansi.Strip(strings.Join(d.View(width, height).Lines, "\n"))
}

func TestHelp(t *testing.T) {
	cfg, err := config.Parse("test", []byte("[keys]\nmodel = []\nsend = [\"ctrl+enter\"]\n"), TestActions)
	if err != nil {
		t.Fatal(err)
	}
	env := newEnv()
	env.Keys = cfg.Keys
	d := NewHelp(env)
	var all strings.Builder
	for range 20 {
		all.WriteString(shownBy(d, 80, 20))
		if _, below := d.Hidden(); below == 0 {
			break
		}
		if got := strike(d, "pgdown"); got != nil {
			t.Fatalf("pgdown did %#v", got)
		}
	}
	text := all.String()
	for _, a := range TestActions.List() {
		if !strings.Contains(text, a.Help) {
			t.Errorf("%q is not shown", a.Help)
		}
	}
	if !strings.Contains(text, "ctrl+enter") {
		t.Error("the configured key is not shown")
	}
	if i := strings.Index(text, "Choose the model"); i < 0 || !strings.HasPrefix(strings.TrimSpace(text[strings.LastIndex(text[:i], "\n"):i]), "no key") {
		t.Error("an action without a key is not shown as one")
	}
	if got := strike(d, "esc"); got != (dialog.Close{}) {
		t.Errorf("esc did %#v", got)
	}
}

func TestGuide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env := newEnv()
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
			if got := strike(d, k); got != (dialog.Close{}) {
				t.Errorf("%s did %#v", k, got)
			}
		}
	})
}

func TestTheGuideIsReachedFromTheHelp(t *testing.T) {
	env := newEnv()
	if got := NewHelp(env).Key(pressed("tab")); got != (dialog.Run{Action: command.Guide}) {
		t.Errorf("tab did %#v", got)
	}
	if env.Guard.Repeats("tab") {
		t.Error("the guide, where tab lists the sections, does not get the next one")
	}
}

func TestTheHelpBeginsWithWhatMattersNow(t *testing.T) {
	text := shownBy(NewHelp(newEnv(), command.Cancel, command.Palette), 80, 40)
	now, all := strings.Index(text, "Now"), strings.Index(text, "In the prompt")
	if cancel := strings.Index(text, "Cancel turn"); now < 0 || cancel < now || all < cancel {
		t.Errorf("the help is\n%s", text)
	}
}

// Keys have one width in all contexts, and an action stands there once.
func TestTheHelpIsOneTable(t *testing.T) {
	text := shownBy(NewHelp(newEnv(), command.Cancel, command.Palette), 80, 300)
	for _, action := range []string{"Cancel turn / close", "Open the palette", "Send the prompt"} {
		if n := strings.Count(text, action); n != 1 {
			t.Errorf("%q stands there %d times", action, n)
		}
	}
	columns := map[int]bool{}
	for _, line := range strings.Split(text, "\n") {
		for _, action := range []string{"Cancel turn / close", "Send the prompt", "Expand or collapse", "Step out of the command", "Close the dialog"} {
			if at := strings.Index(line, action); at >= 0 {
				columns[at] = true
			}
		}
	}
	if len(columns) != 1 {
		t.Errorf("actions begin in the columns %v:\n%s", columns, text)
	}
}

// What is typed leaves the actions that it is about, by their names and by their keys.
func TestTheHelpIsSearched(t *testing.T) {
	env := newEnv()
	for _, tt := range []struct {
		typed, shows, not string
	}{
		{"history", "Search earlier prompts", "Next mode"}, // the name in the configuration
		{"Next mode", "Next mode", "next tab"},
		{"ctrl+p", "Open the palette", "Choose the mode"},
		{"alt+7", "Go to this tab", "Rename tab"}, // of many keys, not all are shown
		{"rewind", "Rewind to an earlier prompt", "Next mode"},
		{"zebra", "No match", "Next mode"},
	} {
		d := NewHelp(env)
		for _, k := range tt.typed {
			strike(d, strings.ReplaceAll(string(k), " ", "space"))
		}
		if text := shownBy(d, 80, 40); !strings.Contains(text, tt.shows) || strings.Contains(text, tt.not) {
			t.Errorf("%q shows\n%s", tt.typed, text)
		}
		if got := strike(d, "esc"); got != nil || !strings.Contains(shownBy(d, 80, 40), "Send the prompt") {
			t.Errorf("the first esc did %#v", got)
		}
		if got := strike(d, "esc"); got != (dialog.Close{}) {
			t.Errorf("the second esc did %#v", got)
		}
	}
}

// Where there is room, two actions stand beside each other; both are whole.
func TestTheHelpHasTwoColumns(t *testing.T) {
	env := newEnv()
	lines := func(width int) []string {
		blank := func(line string) bool { return strings.TrimSpace(line) == "" }
		return slices.DeleteFunc(strings.Split(shownBy(NewHelp(env), width, 200), "\n"), blank)
	}
	two, one := lines(120), lines(80)
	if len(two) > len(one)*3/4 {
		t.Errorf("%d lines in two columns, %d in one", len(two), len(one))
	}
	for _, a := range TestActions.List() {
		if begin := a.Help[:min(len(a.Help), 24)]; !strings.Contains(strings.Join(two, "\n"), begin) {
			t.Errorf("%q is not shown", a.Help)
		}
	}
}

const sections = "# The book\n\nIt begins.\n\n" +
	"## Apples\n\nRed ones.\n\n```\n# no heading\n```\n\n" +
	"### Of `old` trees\n\nCrooked ones.\n\n" + "## Pears\n\nGreen ones, and **red** ones.\n"

func TestTheGuideHasContents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env := newEnv()
		d := NewGuide(env, "Book", sections+strings.Repeat("\nMore.\n", 40))
		if text := shownBy(d, 120, 20); !strings.Contains(text, "Of old trees") || !strings.Contains(text, "Pears") {
			t.Errorf("there is room for the contents, and none:\n%s", text)
		}
		if text := shownBy(d, 80, 10); strings.Contains(text, "Pears") {
			t.Errorf("there is no room for the contents:\n%s", text)
		}
		strike(d, "tab")
		contents := d.Host.(*desk).chosen
		if len(contents.Items) != 4 || contents.Title != "Book: contents" || contents.Items[3].Title != "Pears" {
			t.Fatalf("the contents are %+v", contents)
		}
		contents.Items[3].Do()
		if text := shownBy(d, 80, 10); !strings.Contains(text, "Pears") || strings.Contains(text, "Apples") {
			t.Errorf("the section is shown as\n%s", text)
		}
		strike(d, "[")
		if text := shownBy(d, 80, 10); !strings.Contains(text, "Of old trees") {
			t.Errorf("the section before is shown as\n%s", text)
		}
	})
}

func TestWordsAreFoundInTheGuide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env := newEnv()
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
		if got := strike(d, "esc"); got != (dialog.Close{}) {
			t.Errorf("the second esc did %#v", got)
		}
	})
}

// Nothing of the help is cut in the narrowest window, neither keys nor what they do.
func TestTheHelpIsNotCutInANarrowWindow(t *testing.T) {
	env := newEnv()
	d := NewHelp(env)
	text := shownBy(d, 40, 1000)
	for _, whole := range []string{"enter  Send the prompt", "Permission: open in $EDITOR", "ctrl+pgdown"} {
		if !strings.Contains(text, whole) {
			t.Errorf("%q is cut:\n%s", whole, text)
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if w := termtext.Width(line); w > 40 {
			t.Errorf("%d wide: %q", w, line)
		}
	}
}

// Whatever a document holds and the user presses, a page stays within its bounds.
func TestPagesStayWithinTheirBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, text := range []string{"", "A\u0600〇", "\x1b[31mred\u202e", "# 日本👍🏽\n\n" + strings.Repeat("日本👍🏽", 50), strings.Repeat("## a\n\nb\n\n", 90)} {
			for _, d := range []dialog.Dialog{NewGuide(newEnv(), text, text), NewHelp(newEnv())} {
				for _, key := range []string{"/", "日", "enter", "end", "tab", "esc", "]", "n", "pgdown"} {
					d.Key(pressed(key))
					for _, size := range [][2]int{{1, 1}, {20, 3}, {40, 8}, {120, 40}} {
						checkBounds(t, d.View(size[0], size[1]), size[0], size[1])
					}
				}
			}
		}
	})
}
