package ptytest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"
)

// State is the terminal's settings, without its contents. Comparing two states shows
// whether a program has restored the terminal.
type State struct {
	// Modes are the DEC private modes that are set, in order.
	Modes []int
	// Keyboard are the flags of the kitty protocol, a stack for each of the main
	// and the alternate screen.
	Keyboard [2][]int
	// ModifyOtherKeys is xterm's resource of that name.
	ModifyOtherKeys int
	// CursorStyle is as DECSCUSR counts, 0 for the user's own, and CursorColour
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

// WaitState waits until ok holds for the terminal's state. The description
// completes "expected that …".
func (term *Terminal) WaitState(description string, ok func(State) bool) *Terminal {
	term.t.Helper()
	bound := patience()
	timeout := time.NewTimer(bound)
	defer timeout.Stop()
	ticker := time.NewTicker(5 * time.Millisecond) // the driver reports no changes
	defer ticker.Stop()
	for !ok(term.State()) {
		select {
		case <-ticker.C:
		case <-timeout.C:
			term.failf("expected within %v that %s, but it is %+v", bound, description, term.State())
		}
	}
	return term
}

// driver adds what the terminal's driver does.
func (term *Terminal) driver(s *State) {
	_ = term.control(func(fd int) error {
		t, err := unix.IoctlGetTermios(fd, readTermios)
		if err == nil {
			s.Raw = t.Lflag&(unix.ICANON|unix.ECHO|unix.ISIG) == 0 && t.Oflag&unix.OPOST == 0
			s.Cooked = t.Lflag&unix.ICANON != 0 && t.Lflag&unix.ECHO != 0 && t.Lflag&unix.ISIG != 0 &&
				t.Iflag&unix.ICRNL != 0 && t.Oflag&unix.OPOST != 0
		}
		return err
	})
}

func (e *Emulator) state() State {
	s := e.settings
	s.Keyboard = [2][]int{copied(e.kittyFlags[0]), copied(e.kittyFlags[1])}
	s.Title, s.SavedTitles = e.title, copied(s.SavedTitles)
	for m, on := range e.modes {
		if dec, ok := m.(ansi.DECMode); ok && on {
			s.Modes = append(s.Modes, int(dec))
		}
	}
	slices.Sort(s.Modes)
	return s
}

// copied is nil for what is empty, so that states can be compared.
func copied[T any](s []T) []T { return append([]T(nil), s...) }

// watchSettings records settings that the emulator ignores.
func (e *Emulator) watchSettings() {
	e.emu.RegisterOscHandler(12, func(data []byte) bool {
		if _, colour, _ := strings.Cut(string(data), ";"); colour != "?" {
			e.settings.CursorColour = colour
		}
		return false // and the emulator takes it too
	})
	e.emu.RegisterOscHandler(112, func([]byte) bool {
		e.settings.CursorColour = ""
		return false
	})
	e.emu.RegisterCsiHandler(ansi.Command(0, ' ', 'q'), func(p ansi.Params) bool {
		e.settings.CursorStyle, _, _ = p.Param(0, 0)
		return false // and the emulator takes it too
	})
	e.emu.RegisterCsiHandler(ansi.Command('>', 0, 'm'), func(p ansi.Params) bool {
		if resource, _, _ := p.Param(0, 0); resource == 4 {
			e.settings.ModifyOtherKeys, _, _ = p.Param(1, 0)
		}
		return true
	})
	e.emu.RegisterCsiHandler('t', func(p ansi.Params) bool {
		what, _, _ := p.Param(0, 0)
		titles := &e.settings.SavedTitles
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
			e.settings.Progress = ""
			if state != 0 {
				e.settings.Progress = fmt.Sprintf("%d;%d", state, value)
			}
		}
		return kind == 4
	})
}
