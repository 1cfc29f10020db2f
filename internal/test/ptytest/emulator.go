package ptytest

import (
	"bytes"
	"fmt"
	"image/color"
	"io"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// emulator is the screen, and what the program has asked of the terminal. It
// is guarded by Terminal.mu, but for emu.Read, which has its own lock.
type emulator struct {
	emu     *vt.Emulator
	modes   map[ansi.Mode]bool
	visible bool // the cursor
	title   string
	panics  int     // sequences that the emulator could not bear
	frozen  *Screen // the last whole frame, while a synchronized update is drawn
	updates int     // synchronized ones that have begun

	settings   settings
	widths     Widths
	codePoints *codePoints

	kitty      bool // the terminal knows the keyboard protocol
	kittyFlags [2][]int
}

func newEmulator(o Options) *emulator {
	e := &emulator{
		emu:     vt.NewEmulator(o.Cols, o.Rows),
		modes:   map[ansi.Mode]bool{ansi.ModeTextCursorEnable: true, ansi.ModeAutoWrap: true},
		visible: true,
		kitty:   !o.Legacy,
		widths:  o.Widths, codePoints: newCodePoints(),
	}
	fg, bg := color.RGBA{0xd0, 0xd0, 0xd0, 0xff}, color.RGBA{0x1e, 0x1e, 0x1e, 0xff}
	if o.Light {
		fg, bg = color.RGBA{0x24, 0x24, 0x24, 0xff}, color.RGBA{0xfa, 0xfa, 0xfa, 0xff}
	}
	e.emu.SetDefaultForegroundColor(fg)
	e.emu.SetDefaultBackgroundColor(bg)
	e.emu.SetCallbacks(vt.Callbacks{
		Title:            func(s string) { e.title = s },
		CursorVisibility: func(visible bool) { e.visible = visible },
		EnableMode:       func(m ansi.Mode) { e.setMode(m, true) },
		DisableMode:      func(m ansi.Mode) { e.setMode(m, false) },
	})
	e.watchSettings()
	e.watchClipboard()
	e.answerQueries()
	return e
}

// write draws the program's output, a sequence at a time: what follows one that
// the emulator cannot bear is drawn all the same.
func (e *emulator) write(p []byte) {
	for len(p) > 0 {
		end := 1 + bytes.IndexByte(p[1:], ansi.ESC)
		if end == 0 {
			end = len(p)
		}
		e.draw(p[:end])
		p = p[end:]
	}
}

// draw draws one piece of output. A sequence that makes the emulator panic is
// counted and passed over. One does that when it scrolls beyond the end of a
// window that has become smaller meanwhile.
func (e *emulator) draw(p []byte) {
	defer func() {
		if recover() != nil {
			e.panics++
		}
	}()
	if e.widths == CodePoints || e.widths == Negotiated && !e.modes[ansi.ModeUnicodeCore] {
		e.codePoints.write(e.emu, p)
		return
	}
	_, _ = e.emu.Write(p)
}

func (e *emulator) setMode(m ansi.Mode, on bool) {
	if m == ansi.ModeSynchronizedOutput {
		switch {
		case on && e.frozen == nil:
			e.frozen = e.capture()
			e.updates++
		case !on:
			e.frozen = nil
		}
	}
	e.modes[m] = on
}

// current is the last whole frame.
func (e *emulator) current() *Screen {
	if e.frozen != nil {
		return e.frozen
	}
	return e.capture()
}

// answerQueries adds the answers that the emulator does not give by itself. It
// knows device attributes, cursor position, colours and most modes. Answers
// go through its pipe, which keeps them in the order of the questions.
func (e *emulator) answerQueries() {
	say := func(format string, args ...any) bool {
		_, _ = fmt.Fprintf(e.emu.InputPipe(), format, args...)
		return true
	}
	e.emu.RegisterCsiHandler(ansi.Command('>', 0, 'q'), func(ansi.Params) bool { // XTVERSION
		return say("\x1bP>|ptytest 1\x1b\\")
	})
	e.emu.RegisterDcsHandler(ansi.Command(0, '+', 'q'), func(ansi.Params, []byte) bool { // XTGETTCAP
		return say("\x1bP0+r\x1b\\")
	})
	e.emu.RegisterCsiHandler(ansi.Command('?', '$', 'p'), func(p ansi.Params) bool { // DECRQM
		var mode ansi.Mode
		switch n, _, _ := p.Param(0, 0); {
		case n == ansi.ModeSynchronizedOutput.Mode():
			mode = ansi.ModeSynchronizedOutput
		case n == ansi.ModeUnicodeCore.Mode() && e.widths == Negotiated:
			mode = ansi.ModeUnicodeCore
		default:
			return false
		}
		setting := ansi.ModeReset
		if e.modes[mode] {
			setting = ansi.ModeSet
		}
		return say("%s", ansi.ReportMode(mode, setting))
	})
	if e.kitty {
		e.answerKitty(say)
	}
}

// answerKitty speaks the terminal's part of the kitty keyboard protocol, which
// keeps one stack of flags for each of the two screens.
// https://sw.kovidgoyal.net/kitty/keyboard-protocol/
func (e *emulator) answerKitty(say func(string, ...any) bool) {
	e.emu.RegisterCsiHandler(ansi.Command('?', 0, 'u'), func(ansi.Params) bool {
		return say("\x1b[?%du", e.keyboard().kitty)
	})
	e.emu.RegisterCsiHandler(ansi.Command('>', 0, 'u'), func(p ansi.Params) bool {
		flags, _, _ := p.Param(0, 0)
		stack := e.kittyStack()
		*stack = append(*stack, flags)
		return true
	})
	e.emu.RegisterCsiHandler(ansi.Command('<', 0, 'u'), func(p ansi.Params) bool {
		n, _, _ := p.Param(0, 1)
		stack := e.kittyStack()
		*stack = (*stack)[:max(0, len(*stack)-max(1, n))]
		return true
	})
	e.emu.RegisterCsiHandler(ansi.Command('=', 0, 'u'), func(p ansi.Params) bool {
		flags, _, _ := p.Param(0, 0)
		how, _, _ := p.Param(1, 1)
		stack := e.kittyStack()
		if len(*stack) == 0 {
			*stack = append(*stack, 0)
		}
		top := &(*stack)[len(*stack)-1]
		switch how {
		case 2:
			*top |= flags
		case 3:
			*top &^= flags
		default:
			*top = flags
		}
		return true
	})
}

func (e *emulator) kittyStack() *[]int {
	if e.emu.IsAltScreen() {
		return &e.kittyFlags[1]
	}
	return &e.kittyFlags[0]
}

// keyboard is how the program wants keys to be sent.
func (e *emulator) keyboard() keyboard {
	k := keyboard{appCursor: e.modes[ansi.ModeCursorKeys]}
	if stack := *e.kittyStack(); len(stack) > 0 {
		k.kitty = stack[len(stack)-1]
	}
	return k
}

// stopReplies ends the goroutine that reads the emulator's answers. The
// emulator's own Close would race with it.
func (e *emulator) stopReplies() {
	if w, ok := e.emu.InputPipe().(io.Closer); ok {
		_ = w.Close()
	}
}
