package pages

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/diffview"
	"parley/tui/theme"
)

// desk is the host of a page, and a user before it.
type desk struct {
	testing.TB
	view          dialog.Dialog
	width, height int
	closed        bool
	jobs          []func(context.Context) func()
	// begin, if not nil, begins background work in place of jobs.
	begin func(func(context.Context) func())

	copied, composed string
	edited, told     []string
	chosen           command.Choice
	asked            *app.Question
	listed           []config.Action
}

func (d *desk) Do(do func()) tea.Cmd { do(); return nil }
func (d *desk) InBackground(do func(context.Context) func()) {
	if d.begin != nil {
		d.begin(do)
		return
	}
	d.jobs = append(d.jobs, do)
}
func (d *desk) Choose(c command.Choice) func(command.Choice) bool { d.chosen = c; return nil }
func (d *desk) Ask(q app.Question)                                { d.asked = &q }
func (d *desk) ListKeys(now ...config.Action)                     { d.listed = now }
func (d *desk) Tell(title, text string)                           { d.told = append(d.told, title+": "+text) }
func (d *desk) Copy(_, text string)                               { d.copied = text }
func (d *desk) Compose(text string)                               { d.composed = text }
func (d *desk) Flash() string                                     { return "" }
func (d *desk) Edit(path string, line int) {
	d.edited = append(d.edited, fmt.Sprintf("%s:%d", filepath.Base(path), line))
}

func (d *desk) env() Env {
	return Env{Host: d, Theme: theme.New(true), Keys: config.Default(TestActions).Keys, Diffs: &diffview.Preference{}, Now: time.Now}
}

// work does what is to be done in the background, to its end.
func (d *desk) work() {
	for len(d.jobs) > 0 {
		next := d.jobs[0]
		d.jobs = d.jobs[1:]
		if then := next(d.Context()); then != nil {
			then()
		}
	}
}

// strike presses keys.
func (d *desk) strike(keys ...string) {
	d.Helper()
	for _, k := range keys {
		if _, closes := d.view.Key(pressed(k)).(dialog.Close); closes {
			d.closed = true
			d.view.(interface{ Gone() }).Gone()
		}
		d.work()
		d.screen()
	}
}

// write types a text.
func (d *desk) write(text string) {
	for _, r := range text {
		d.strike(string(r))
	}
}

// screen is what is drawn, without colours.
func (d *desk) screen() string {
	d.Helper()
	v := d.view.View(d.width, d.height)
	checkBounds(d, v, d.width, d.height)
	return ansi.Strip(strings.Join(v.Lines, "\n"))
}

func (d *desk) shows(texts ...string) {
	d.Helper()
	screen := d.screen()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			d.Errorf("%q is not shown:\n%s", text, screen)
		}
	}
}

func (d *desk) hides(texts ...string) {
	d.Helper()
	screen := d.screen()
	for _, text := range texts {
		if strings.Contains(screen, text) {
			d.Errorf("%q is shown:\n%s", text, screen)
		}
	}
}

// answer answers the question that is open.
func (d *desk) answer(name string) {
	d.Helper()
	q := d.asked
	if q == nil {
		d.Fatal("nothing was asked")
	}
	d.asked = nil
	for _, c := range q.Choices {
		if c.Name == name {
			if c.Here != nil {
				c.Here()
			}
			d.work()
			return
		}
	}
	d.Fatalf("%q offers no %s", q.Title, name)
}

// pressed is a press of a key of that name.
func pressed(name string) tea.KeyPressMsg {
	special := map[string]rune{
		"left": tea.KeyLeft, "right": tea.KeyRight, "down": tea.KeyDown, "f12": tea.KeyF12, "backspace": tea.KeyBackspace,
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "end": tea.KeyEnd, "pgdown": tea.KeyPgDown,
	}
	if code, ok := special[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	if name == "space" || name == " " {
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

func checkBounds(t testing.TB, v dialog.View, width, height int) {
	t.Helper()
	if len(v.Lines) > height {
		t.Fatalf("%d lines in a height of %d", len(v.Lines), height)
	}
	for _, line := range v.Lines {
		if w := termtext.Width(line); w > width && width >= 40 { // the tab cuts what is smaller
			t.Fatalf("a line of %d cells in a width of %d: %q", w, width, ansi.Strip(line))
		}
	}
}
