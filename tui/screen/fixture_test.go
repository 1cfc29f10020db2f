//go:build unix

package screen_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/tui/screen"
)

// fixtureEnv makes the test binary the program under test.
const fixtureEnv = "SCREEN_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(fixtureEnv) == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGHUP)
	defer stop()
	if os.Getenv("CATCH_TERM") != "" {
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGTERM)
		defer stop()
	}
	_ = os.WriteFile("pid", fmt.Append(nil, os.Getpid()), 0o600)
	if err := screen.Run(ctx, &fixture{}, screen.Options{Inline: os.Getenv("INLINE") != ""}); err != nil {
		fmt.Fprintln(os.Stderr, "failed:", err)
		os.Exit(1)
	}
	os.Exit(7)
}

// fixture shows what it was told last, and does what keys say.
type fixture struct {
	last          string
	count, frames int
	frame         screen.Frame
	width, height int
	page, above   []string
}

func (f *fixture) Init() tea.Cmd { return nil }

func (f *fixture) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		f.last = "key " + msg.String()
		return f.key(msg.String())
	case tea.PasteMsg:
		f.last = fmt.Sprintf("paste %q", msg.Content)
	case tea.MouseClickMsg:
		f.last = fmt.Sprintf("click %d,%d", msg.X, msg.Y)
	case tea.MouseWheelMsg:
		f.last = fmt.Sprint("wheel ", msg.Button)
	case tea.FocusMsg:
		f.last = "focus"
	case tea.BlurMsg:
		f.last = "blur"
	case tea.ResumeMsg:
		f.last = "resumed"
	case tea.BackgroundColorMsg:
		f.last = fmt.Sprint("dark ", msg.IsDark())
	case tea.WindowSizeMsg:
		f.width, f.height = msg.Width, msg.Height
	case told:
		f.last = string(msg)
	case handle:
		return func() tea.Msg { _ = os.WriteFile("handled", fmt.Append(nil, f.frames), 0o600); return nil }
	case spun:
		f.count++
		return spin()
	}
	return nil
}

type told string

// handle is told the file system.
type handle struct{}

// spun comes again and again.
type spun struct{}

func (spun) Patient() {}

func spin() tea.Cmd {
	return tea.Tick(10*time.Millisecond, func(time.Time) tea.Msg { return spun{} })
}

func (f *fixture) key(name string) tea.Cmd {
	if act, ok := acts[name]; ok {
		return act(f)
	}
	return nil
}

var acts = map[string]func(*fixture) tea.Cmd{
	"q": func(*fixture) tea.Cmd { return tea.Quit },
	"z": func(*fixture) tea.Cmd { return tea.Suspend },
	"b": func(*fixture) tea.Cmd { return screen.RequestBackgroundColor },
	"y": func(*fixture) tea.Cmd { return tea.Raw(ansi.SetSystemClipboard("copied")) },
	"s": func(*fixture) tea.Cmd { return spin() },
	"n": func(f *fixture) tea.Cmd { f.count++; return nil },
	"d": func(f *fixture) tea.Cmd {
		return func() tea.Msg { // tells that keys are taken, even if nothing is drawn
			_ = os.WriteFile("done", fmt.Append(nil, f.count, " ", f.frames), 0o600)
			return nil
		}
	},
	"e": func(*fixture) tea.Cmd {
		cmd := exec.Command("sh", "-c", "echo IN CHARGE; read line; echo took $line; read line; exit 3")
		return screen.Exec(screen.Command{Cmd: cmd}, func(err error) tea.Msg { return told(fmt.Sprint("ended: ", err)) })
	},
	"E": func(*fixture) tea.Cmd { // ends once a message was handled meanwhile
		cmd := exec.Command("sh", "-c", "echo IN CHARGE; until [ -e handled ]; do sleep 0.01; done; echo HANDLED; read line")
		return tea.Sequence(
			screen.Exec(screen.Command{Cmd: cmd}, func(err error) tea.Msg { return told(fmt.Sprint("ended: ", err)) }),
			func() tea.Msg { return handle{} },
		)
	},
	"v": func(*fixture) tea.Cmd {
		cmd := exec.Command("sh", "-c", "echo IN CHARGE; kill -TSTP 0; echo BACK; read line")
		return screen.Exec(screen.Command{Cmd: cmd}, func(err error) tea.Msg { return told(fmt.Sprint("ended: ", err)) })
	},
	"w": func(*fixture) tea.Cmd {
		return func() tea.Msg { fmt.Fprintln(os.Stderr, "a stray \x1b[2Jline"); return told("written") }
	},
	"m": func(f *fixture) tea.Cmd { f.frame.MouseMode = (f.frame.MouseMode + 1) % 3; return nil },
	"f": func(f *fixture) tea.Cmd { f.frame.ReportFocus = !f.frame.ReportFocus; return nil },
	"t": func(f *fixture) tea.Cmd {
		f.frame.WindowTitle = "a \x1b]title\a, " + strings.Repeat("long ", 100)
		return nil
	},
	"p": func(f *fixture) tea.Cmd {
		f.frame.ProgressBar = tea.NewProgressBar(tea.ProgressBarDefault, 40)
		return nil
	},
	"c": func(f *fixture) tea.Cmd {
		f.frame.Cursor = tea.NewCursor(5, 1)
		f.frame.Cursor.Shape, f.frame.Cursor.Blink = tea.CursorBar, false
		return nil
	},
	"x": func(f *fixture) tea.Cmd {
		f.page = []string{
			"family 👨‍👩‍👧 thumb 👍🏽 flag 🇩🇪 heart ❤️ key 1️⃣ new 🫩 end of it.",
			strings.Repeat("👍🏽", 60) + "x",
			"\x1b[44mblue 👨‍👩‍👧 blue\x1b[m plain",
		}
		return nil
	},
	"k": func(f *fixture) tea.Cmd {
		f.page = []string{"\x1b[38;2;255;0;0mred\x1b[m \x1b[1mbold\x1b[m"}
		return nil
	},
	"a": func(f *fixture) tea.Cmd { f.above = []string{"a line that stays"}; return nil },
	"U": func(*fixture) tea.Cmd { panic("in Update") },
	"C": func(*fixture) tea.Cmd { return func() tea.Msg { panic("in a command") } },
	"G": func(*fixture) tea.Cmd { go func() { panic("in a goroutine \x1b[31m") }(); return nil },
	"F": func(*fixture) tea.Cmd { var m sync.Mutex; m.Unlock(); return nil },
	"X": func(*fixture) tea.Cmd { os.Exit(9); return nil },
}

func (f *fixture) Frame() screen.Frame {
	f.frames++
	frame := f.frame
	frame.Above, f.above = f.above, nil
	frame.Lines = append([]string{
		fmt.Sprintf("screen %dx%d", f.width, f.height),
		"last: " + f.last + ".",
		fmt.Sprint("count: ", f.count, "."),
	}, f.page...)
	for y := len(frame.Lines); y < f.height; y++ {
		frame.Lines = append(frame.Lines, strings.Repeat(fmt.Sprint(f.count%10), f.width))
	}
	return frame
}

func (f *fixture) Changed() bool { return true }

func (f *fixture) Stay() []string { return nil }
