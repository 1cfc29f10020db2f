package ptytest

import (
	"fmt"
	"image/color"
	"slices"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"golang.org/x/sys/unix"
)

// State is how a program has set up its terminal, apart from what it shows.
// Comparing it with what it was before tells whether a program has given the
// terminal back as it was.
type State struct {
	// Modes are the DEC private modes that are set, in order.
	Modes []int
	// Keyboard are the flags of the kitty protocol, a stack for each of the main
	// and the alternate screen.
	Keyboard [2][]int
	// ModifyOtherKeys is xterm's resource of that name.
	ModifyOtherKeys int
	// CursorStyle is as DECSCUSR counts, 0 for the person's own, and CursorColour
	// is empty for that.
	CursorStyle  int
	CursorColour string
	// Title is the window's, and SavedTitles is the stack of those below it.
	Title       string
	SavedTitles []string
	// Progress is the last of OSC 9;4, without its parameters' prefix, empty for
	// none.
	Progress string
	// Raw tells that keys come one by one and that output is left alone; Cooked
	// that lines are edited and echoed by the terminal's driver.
	Raw, Cooked bool
}

// Has reports whether a DEC private mode is set.
func (s State) Has(mode ansi.DECMode) bool { return slices.Contains(s.Modes, int(mode)) }

// State is how the terminal is set up now.
func (term *Terminal) State() State {
	term.t.Helper()
	term.mu.Lock()
	s := term.screen.state()
	term.mu.Unlock()
	term.driver(&s)
	return s
}

// WaitState waits until ok holds for the terminal's state. It is asked again
// whenever the program has written something. The description completes
// "expected that …".
func (term *Terminal) WaitState(description string, ok func(State) bool) *Terminal {
	term.t.Helper()
	return term.WaitUntil(description, func(Screen) bool { return ok(term.State()) })
}

// driver adds what the terminal's driver does.
func (term *Terminal) driver(s *State) {
	conn, err := term.pty.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) {
		t, err := unix.IoctlGetTermios(int(fd), readTermios)
		if err != nil {
			return
		}
		s.Raw = t.Lflag&(unix.ICANON|unix.ECHO|unix.ISIG) == 0 && t.Oflag&unix.OPOST == 0
		s.Cooked = t.Lflag&unix.ICANON != 0 && t.Lflag&unix.ECHO != 0 && t.Lflag&unix.ISIG != 0 &&
			t.Iflag&unix.ICRNL != 0 && t.Oflag&unix.OPOST != 0
	})
}

// settings are what the emulator does not keep by itself.
type settings struct {
	modifyOtherKeys int
	cursorStyle     int
	cursorColour    string
	titles          []string
	progress        string
}

func (e *emulator) state() State {
	s := State{
		Keyboard:        [2][]int{slices.Clone(e.kittyFlags[0]), slices.Clone(e.kittyFlags[1])},
		ModifyOtherKeys: e.settings.modifyOtherKeys,
		CursorStyle:     e.settings.cursorStyle,
		CursorColour:    e.settings.cursorColour,
		Title:           e.title,
		SavedTitles:     slices.Clone(e.settings.titles),
		Progress:        e.settings.progress,
	}
	for m, on := range e.modes {
		if dec, ok := m.(ansi.DECMode); ok && on {
			s.Modes = append(s.Modes, int(dec))
		}
	}
	slices.Sort(s.Modes)
	return s
}

// watchSettings keeps what the program asks for and the emulator ignores.
func (e *emulator) watchSettings(cb *vt.Callbacks) {
	cb.CursorColor = func(c color.Color) { e.settings.cursorColour = colourOf(c) }
	e.emu.RegisterCsiHandler(ansi.Command(0, ' ', 'q'), func(p ansi.Params) bool {
		e.settings.cursorStyle, _, _ = p.Param(0, 0)
		return false // and the emulator takes it too
	})
	e.emu.RegisterCsiHandler(ansi.Command('>', 0, 'm'), func(p ansi.Params) bool {
		if resource, _, _ := p.Param(0, 0); resource == 4 {
			e.settings.modifyOtherKeys, _, _ = p.Param(1, 0)
		}
		return true
	})
	e.emu.RegisterCsiHandler('t', func(p ansi.Params) bool {
		what, _, _ := p.Param(0, 0)
		titles := &e.settings.titles
		switch {
		case what == 22:
			*titles = append(*titles, e.title)
		case what == 23 && len(*titles) > 0:
			e.title = (*titles)[len(*titles)-1]
			*titles = (*titles)[:len(*titles)-1]
		default:
			return false
		}
		return true
	})
	e.emu.RegisterOscHandler(9, func(data []byte) bool {
		var kind, state, value int
		_, _ = fmt.Sscanf(string(data), "9;%d;%d;%d", &kind, &state, &value)
		if kind == 4 {
			e.settings.progress = ""
			if state != 0 {
				e.settings.progress = fmt.Sprintf("%d;%d", state, value)
			}
		}
		return kind == 4
	})
}
