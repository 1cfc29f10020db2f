//go:build unix

package screen_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"parley/internal/test/ptytest"
)

// start runs the fixture on a terminal of its own.
func start(t *testing.T, o ptytest.Options) *ptytest.Terminal {
	t.Helper()
	o.Cmd = []string{self(t)}
	return launch(t, o)
}

// startInShell runs the fixture as a shell does. The shell says how it has ended,
// and the terminal stays.
func startInShell(t *testing.T, o ptytest.Options) *ptytest.Terminal {
	t.Helper()
	o.Cmd = []string{"sh", "-c", `printf '\033]2;mine\007\033[4 qbefore\n'; read go; "$0"; echo "exit $?"; read go`, self(t)}
	return launch(t, o)
}

func self(t *testing.T) string {
	t.Helper()
	bin, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

func launch(t *testing.T, o ptytest.Options) *ptytest.Terminal {
	t.Helper()
	if o.Cols == 0 {
		o.Cols, o.Rows = 80, 24
	}
	o.Env = append([]string{fixtureEnv + "=1"}, o.Env...)
	return ptytest.Start(t, o)
}

// taken waits until the fixture shows itself.
func taken(term *ptytest.Terminal) *ptytest.Terminal {
	return term.WaitFor("screen 80x").WaitState("the terminal is taken", func(s ptytest.State) bool { return s.Raw })
}

func TestTakesTheTerminalAndGivesItBack(t *testing.T) {
	t.Parallel()
	for name, widths := range map[string]ptytest.Widths{"plain": ptytest.Clusters, "with mode 2027": ptytest.Negotiated} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := startInShell(t, ptytest.Options{Widths: widths})
			term.WaitFor("before")
			before := term.State()
			term.Press("enter")
			taken(term).Press("m", "f", "t", "p", "c")
			term.WaitFor("last: key c.").WaitState("everything is asked for", func(s ptytest.State) bool {
				return s.Has(ansi.ModeMouseButtonEvent) && s.Has(ansi.ModeMouseExtSgr) && s.Has(ansi.ModeFocusEvent) &&
					s.Has(ansi.ModeBracketedPaste) && s.Has(ansi.ModeAltScreenSaveCursor) && s.ModifyOtherKeys == 2 &&
					cmp.Equal(s.Keyboard, [2][]int{nil, {5}}) && s.CursorStyle == 6 && s.Progress == "1;40" &&
					strings.HasPrefix(s.Title, "a ]title, long") && len(s.Title) <= 120 &&
					s.Has(ansi.ModeUnicodeCore) == (widths == ptytest.Negotiated)
			})
			if c := term.Cursor(); c.X != 5 || c.Y != 1 || !c.Visible {
				t.Errorf("the cursor is %+v", c)
			}
			term.Press("q").WaitFor("before", "exit 7")
			after := term.State()
			before.CursorStyle = 0 // what a terminal's own style is cannot be asked
			if d := cmp.Diff(before, after); d != "" {
				t.Errorf("the terminal is not as it was:\n%s", d)
			}
			term.Press("enter").WaitExit()
		})
	}
}

func TestReadsKeysPastesMouseAndFocus(t *testing.T) {
	t.Parallel()
	for _, legacy := range []bool{false, true} {
		term := taken(start(t, ptytest.Options{Legacy: legacy}))
		term.Press("ctrl+alt+x").WaitFor("last: key ctrl+alt+x.")
		if !legacy {
			term.Press("shift+enter").WaitFor("last: key shift+enter.")
		}
		term.Paste("two\nlines").WaitFor(`last: paste "two\rlines".`)
		term.Press("m", "f").WaitState("the mouse and the focus are asked for", func(s ptytest.State) bool {
			return s.Has(ansi.ModeMouseButtonEvent) && s.Has(ansi.ModeFocusEvent)
		})
		term.Click(3, 4).WaitFor("last: click 3,4.")
		term.Wheel(3, 4, 1).WaitFor("last: wheel wheeldown.")
		term.Focus(false).WaitFor("last: blur.")
		term.Focus(true).WaitFor("last: focus.")
		term.Press("m").WaitState("every motion is asked for", func(s ptytest.State) bool {
			return s.Has(ansi.ModeMouseAnyEvent) && !s.Has(ansi.ModeMouseButtonEvent)
		})
		term.Press("m", "f").WaitState("neither is asked for", func(s ptytest.State) bool {
			return !s.Has(ansi.ModeMouseAnyEvent) && !s.Has(ansi.ModeMouseExtSgr) && !s.Has(ansi.ModeFocusEvent)
		})
		term.Press("q")
		if code := term.WaitExit(); code != 7 {
			t.Errorf("exit code %d", code)
		}
	}
}

func TestAsksTheTerminalAtOnce(t *testing.T) {
	t.Parallel()
	term := taken(start(t, ptytest.Options{Light: true}))
	term.Press("b").WaitFor("last: dark false.")
	term.Press("q").WaitExit()
}

func TestFollowsTheSize(t *testing.T) {
	t.Parallel()
	term := taken(start(t, ptytest.Options{}))
	for _, size := range [][2]int{{100, 30}, {41, 11}, {120, 40}} {
		term.Resize(size[0], size[1])
		term.WaitUntil("the whole screen is drawn", func(s ptytest.Screen) bool {
			return s.Line(s.Rows-1) == strings.Repeat("0", size[0]) && s.Line(3) == s.Line(s.Rows-1)
		})
	}
	term.Press("q").WaitExit()
}

func TestHandsTheTerminalToAProgram(t *testing.T) {
	t.Parallel()
	term := startInShell(t, ptytest.Options{Widths: ptytest.Negotiated})
	term.WaitFor("before")
	before := term.State()
	term.Press("enter")
	taken(term).Press("m", "f", "c", "t").WaitState("the title is set", func(s ptytest.State) bool { return s.Title != "mine" })
	own := term.State()
	term.Press("e").WaitFor("before", "IN CHARGE")
	during := term.State()
	before.CursorStyle = 0
	if d := cmp.Diff(before, during); d != "" {
		t.Errorf("the terminal is not as the program expects it:\n%s", d)
	}
	term.Type("hello\n").WaitFor("took hello")
	term.Resize(90, 20).Type("\n")
	term.WaitFor("screen 90x20", "last: ended: exit status 3.")
	if d := cmp.Diff(own, term.State()); d != "" {
		t.Errorf("the terminal was not taken back:\n%s", d)
	}
	term.Press("n").WaitFor("count: 1.")
	term.Press("q").WaitFor("exit 7").Press("enter").WaitExit()
}

// Who has borrowed the terminal holds up neither messages nor their effects; only nothing is
// drawn, so that nothing counts as seen.
func TestGoesOnWhileTheTerminalIsLent(t *testing.T) {
	t.Parallel()
	term := startInShell(t, ptytest.Options{})
	term.WaitFor("before").Press("enter")
	taken(term).Press("E").WaitFor("IN CHARGE", "HANDLED")
	term.Type("\n").WaitFor("last: ended: <nil>.", "screen 80x24")
	term.Press("n").WaitFor("count: 1.").Press("q").WaitFor("exit 7").Press("enter").WaitExit()
}

func TestKeepsStandardErrorOffTheScreen(t *testing.T) {
	t.Parallel()
	term := startInShell(t, ptytest.Options{})
	term.WaitFor("before").Press("enter")
	taken(term).Press("w").WaitFor("last: written.", "screen 80x24")
	if term.Screen().Contains("stray") {
		t.Error("standard error is on the screen")
	}
	term.Press("q").WaitFor("before", "a stray", "line", "exit 7").Press("enter").WaitExit()
}

func TestQuitsWhenTheTerminalTakesNothing(t *testing.T) {
	t.Parallel()
	term := taken(start(t, ptytest.Options{Env: []string{"CATCH_TERM=1"}}))
	term.Hold()
	for range 100 {
		term.Press("n")
	}
	term.Signal(syscall.SIGTERM)
	if code := term.WaitExit(); code != 7 {
		t.Errorf("exit code %d", code)
	}
}
