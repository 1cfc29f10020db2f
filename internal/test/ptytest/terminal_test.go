package ptytest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"go.uber.org/goleak"
)

// The test binary is also the program under test.
func TestMain(m *testing.M) {
	if os.Getenv("PTYTEST_PROGRAM") == "bubble" {
		if _, err := tea.NewProgram(bubble{last: "none"}).Run(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(7)
	}
	goleak.VerifyTestMain(m)
}

// bubble shows what it was told last.
type bubble struct {
	last          string
	width, height int
	enhanced      bool
	dark          string
}

func (b bubble) Init() tea.Cmd { return tea.RequestBackgroundColor }

func (b bubble) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if msg.String() == "ctrl+q" {
			return b, tea.Quit
		}
		b.last = "key " + msg.String()
	case tea.PasteMsg:
		b.last = fmt.Sprintf("paste %q", msg.Content)
	case tea.MouseClickMsg:
		b.last = fmt.Sprintf("click %d,%d", msg.X, msg.Y)
	case tea.MouseWheelMsg:
		b.last = fmt.Sprintf("wheel %s", msg.Button)
	case tea.BlurMsg:
		b.last = "blur"
	case tea.WindowSizeMsg:
		b.width, b.height = msg.Width, msg.Height
	case tea.KeyboardEnhancementsMsg:
		b.enhanced = msg.SupportsKeyDisambiguation()
	case tea.BackgroundColorMsg:
		b.dark = fmt.Sprint("dark ", msg.IsDark())
	}
	return b, nil
}

func (b bubble) View() tea.View {
	bold := lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color("#ff8800")).Background(lipgloss.Color("4"))
	v := tea.NewView(fmt.Sprintf("%s\nlast: %s.\nsize: %dx%d, enhanced %v, %s.\n世界|",
		bold.Render("Bubble"), b.last, b.width, b.height, b.enhanced, b.dark))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.ReportFocus = true
	v.WindowTitle = "a bubble"
	v.Cursor = tea.NewCursor(3, 1)
	return v
}

func startBubble(t *testing.T, o Options) *Terminal {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Cmd = []string{self}
	o.Env = append(o.Env, "PTYTEST_PROGRAM=bubble")
	return Start(t, o).WaitFor("Bubble", "dark ")
}

func TestBubbleTeaProgram(t *testing.T) {
	for _, c := range []struct {
		name string
		opts Options
		want string
	}{
		{"kitty keyboard", Options{}, "enhanced true, dark true"},
		{"legacy keyboard", Options{Legacy: true}, "enhanced false, dark true"},
		{"light background", Options{Light: true}, "dark false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			term := startBubble(t, c.opts)
			term.WaitFor("size: 120x40", c.want)
			keys := []string{
				"a", "é", "A", "enter", "tab", "shift+tab", "ctrl+c", "ctrl+j", "alt+1", "f2", "f3", "f12",
				"up", "shift+up", "pgup", "home", "delete", "backspace", "alt+enter", "space", "ctrl+@", "esc",
			}
			if !c.opts.Legacy {
				keys = append(keys, "shift+enter", "ctrl+enter", "ctrl+i", "ctrl+shift+p")
			}
			for _, key := range keys {
				want := key
				if key == "ctrl+@" && c.opts.Legacy {
					want = "ctrl+space" // one byte for both
				}
				term.Press(key).WaitFor("last: key " + want + ".")
			}
			term.Paste("two\nlines").WaitFor(`last: paste "two\rlines".`)
			term.Click(5, 7).WaitFor("last: click 5,7.")
			term.ClickOn("|").WaitFor("last: click 4,3.")
			term.Wheel(0, 0, -2).WaitFor("last: wheel wheelup.")
			term.Focus(false).WaitFor("last: blur.")
			term.Resize(60, 20).WaitFor("size: 60x20").WaitGone("120x40")

			if !term.AltScreen() {
				t.Error("not on the alternate screen")
			}
			term.WaitUntil("the cursor is in its place", func(s Screen) bool {
				return s.Cursor == Cursor{X: 3, Y: 1, Visible: true} && s.Title == "a bubble"
			})
			want := Cell{Text: "B", Width: 1, FG: "#ff8800", BG: "4", Bold: true}
			if got := term.Cell(0, 0); got != want {
				t.Errorf("cell 0,0 = %+v, want %+v", got, want)
			}
			if got, right := term.Cell(0, 3), term.Cell(1, 3); got.Text != "世" || got.Width != 2 || right != (Cell{}) {
				t.Errorf("cells 0,3 and 1,3 = %+v and %+v, want a wide 世", got, right)
			}
			term.Press("ctrl+q")
			if code := term.WaitExit(); code != 7 {
				t.Errorf("exit code %d, want 7", code)
			}
			if term.AltScreen() || !term.Cursor().Visible {
				t.Error("the program has not restored the terminal")
			}
		})
	}
}

func TestProgramEndsPolitelyWithTheTest(t *testing.T) {
	startBubble(t, Options{}).Type("hi").WaitFor("last: key i.")
}

func TestShell(t *testing.T) {
	term := Start(t, Options{
		Cmd: []string{"sh", "-c", `stty size; pwd; env | sort; read -r line; echo "got <$line>"; exit 3`},
		Env: []string{"EXTRA=1"}, Cols: 70, Rows: 24,
	})
	term.WaitFor("24 70", term.Dir(), "HOME="+term.Home(), "EXTRA=1", "TERM=xterm-256color", "XDG_CONFIG_HOME="+filepath.Join(term.Home(), ".config"))
	term.Type("hello\n").WaitForRegexp(`(?m)^got <hello>$`)
	if code := term.WaitExit(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
}

func TestLastOutputIsOnTheScreenAtExit(t *testing.T) {
	term := Start(t, Options{Cmd: []string{"sh", "-c", `i=0; while [ $i -lt 500 ]; do echo line $i; i=$((i+1)); done; printf 'the \033[1;31mend\033[0m'`}})
	if code := term.WaitExit(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if got := term.Screen().Line(39); got != "the end" {
		t.Errorf("last line %q, want %q", got, "the end")
	}
	if c := term.Cell(4, 39); !c.Bold || c.FG != "1" {
		t.Errorf("cell = %+v, want bold and colour 1", c)
	}
}

func TestSignal(t *testing.T) {
	term := Start(t, Options{Cmd: []string{"sh", "-c", "trap 'echo caught; exit 5' USR1; echo ready; while :; do read -r x; done"}})
	term.WaitFor("ready").Signal(syscall.SIGUSR1)
	if code := term.WaitExit(); code != 5 {
		t.Errorf("exit code %d, want 5", code)
	}
	term.WaitFor("caught")
	killed := Start(t, Options{Cmd: []string{"sh", "-c", "kill -9 $$"}})
	if code := killed.WaitExit(); code != 137 {
		t.Errorf("exit code %d, want 137", code)
	}
}

func TestInputDoesNotWaitForTheProgram(t *testing.T) {
	// More than any pty buffers, and as many questions for the emulator.
	term := Start(t, Options{Cmd: []string{"sh", "-c", `stty raw -echo; i=0; while [ $i -lt 2000 ]; do printf '\033[c'; i=$((i+1)); done; printf asked; read -r x; exit 0`}})
	term.Send(strings.Repeat("x", 100_000)).WaitFor("asked").Send("\n")
	term.WaitExit()
}

func TestSynchronizedUpdateIsSeenWhole(t *testing.T) {
	term := Start(t, Options{Cmd: []string{"sh", "-c", `printf 'one\033[?2026h\rtwo\033]2;half\007'; read -r x; printf '\rthr\033[?2026l'; read -r x`}})
	term.WaitFor("one")
	// The title is set inside the update, and says that it has been read.
	term.WaitUntil("half an update has come", func(Screen) bool {
		term.mu.Lock()
		defer term.mu.Unlock()
		return term.screen.title == "half"
	})
	if got := term.Screen().Line(0); got != "one" {
		t.Errorf("half an update shows %q, want %q", got, "one")
	}
	term.Type("\n").WaitFor("thr").Type("\n").WaitExit()
}

func TestLink(t *testing.T) {
	term := Start(t, Options{Cmd: []string{"printf", `\033]8;;https://example.com/\033\\link\033]8;;\033\\ text`}})
	term.WaitFor("link text")
	if got := term.Cell(0, 0).Link; got != "https://example.com/" {
		t.Errorf("link %q", got)
	}
	if got := term.Cell(5, 0).Link; got != "" {
		t.Errorf("link %q after its end", got)
	}
}

// failing is a test that is allowed to fail.
type failing struct {
	testing.TB
	cleanups []func()
	messages []string
}

func (f *failing) Cleanup(c func())          { f.cleanups = append(f.cleanups, c) }
func (f *failing) Failed() bool              { return len(f.messages) > 0 }
func (f *failing) Errorf(s string, a ...any) { f.messages = append(f.messages, fmt.Sprintf(s, a...)) }

func (f *failing) Error(a ...any)            { f.messages = append(f.messages, fmt.Sprint(a...)) }
func (f *failing) Fatalf(s string, a ...any) { f.Errorf(s, a...); panic(f) }
func (f *failing) Log(...any)                {}
func (f *failing) report(run func(testing.TB)) string {
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(f) {
				panic(r)
			}
		}()
		run(f)
	}()
	for i := len(f.cleanups) - 1; i >= 0; i-- {
		f.cleanups[i]()
	}
	return strings.Join(f.messages, "\n")
}

// impatiently makes what still has to be waited for fail soon. What must succeed before
// has had its time by then.
func impatiently(t testing.TB) { t.Setenv("PARLEY_TEST_TIMEOUT", "0.005") }

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(testing.TB)
		want []string
	}{
		{"text that never comes", func(t testing.TB) {
			term := Start(t, Options{Cmd: []string{"sh", "-c", "echo something else; exec cat"}}).WaitFor("something else")
			impatiently(t)
			term.WaitFor("something", "wanted")
		}, []string{`the screen shows "something" and "wanted"`, "expected within", "│something else "}},
		{"program that ends", func(t testing.TB) {
			Start(t, Options{Cmd: []string{"sh", "-c", "echo bye; exit 4"}}).WaitFor("wanted")
		}, []string{`the screen shows "wanted", but the program has ended with exit status 4`, "│bye "}},
		{"key that does not exist", func(t testing.TB) {
			Start(t, Options{Cmd: []string{"cat"}}).Press("hyper+x")
		}, []string{`press "hyper+x": there is no modifier "hyper"`}},
		{"mouse that was not asked for", func(t testing.TB) {
			Start(t, Options{Cmd: []string{"cat"}}).Click(1, 2)
		}, []string{"has not asked for the mouse"}},
		{"process left in the session", func(t testing.TB) {
			term := Start(t, Options{Cmd: []string{"sh", "-c", "trap '' HUP; sleep 600 & echo started"}}).WaitFor("started")
			<-term.exited
			impatiently(t)
		}, []string{"left a process behind", "sleep 600"}},
		{"process that does not end", func(t testing.TB) {
			Start(t, Options{Cmd: []string{"sh", "-c", "trap '' TERM HUP; echo deaf; while :; do read -r x; done"}}).WaitFor("deaf")
			impatiently(t)
		}, []string{"did not end when asked to", "│deaf "}},
		{"program that is not there", func(t testing.TB) {
			Start(t, Options{Cmd: []string{"/no/such/program"}})
		}, []string{"ptytest: start /no/such/program"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := (&failing{TB: t}).report(c.run)
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("the report lacks %q:\n%s", want, got)
				}
			}
		})
	}
}

func TestProcessThatLeftTheSessionIsFound(t *testing.T) {
	setsid, err := exec.LookPath("setsid")
	if err != nil {
		t.Skip("no setsid here")
	}
	got := (&failing{TB: t}).report(func(t testing.TB) {
		Start(t, Options{Cmd: []string{"sh", "-c", setsid + " sh -c 'echo away; exec sleep 601 </dev/null >/dev/null 2>&1' & read -r x"}}).WaitFor("away").Type("\n").WaitExit()
		impatiently(t)
	})
	if !strings.Contains(got, "sleep 601") {
		t.Errorf("the report lacks the process: %s", got)
	}
}

func TestRawOutputIsKept(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PARLEY_TEST_RAW", dir)
	t.Run("printing", func(t *testing.T) {
		Start(t, Options{Cmd: []string{"printf", `\033[1mraw`}}).WaitExit()
	})
	files, err := filepath.Glob(filepath.Join(dir, "TestRawOutputIsKept_printing.*.raw"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %q, error %v", files, err)
	}
	if got, err := os.ReadFile(files[0]); err != nil || string(got) != "\x1b[1mraw" {
		t.Errorf("kept %q, error %v", got, err)
	}
}
