package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"parley/internal/process"
	"parley/internal/termtext"
	"parley/terminal/screen"
)

const (
	// endKey is ctrl+], which ends the program.
	endKey = 0x1d
	// frameTime is the shortest time between two frames.
	frameTime = 16 * time.Millisecond
	// scrollback is how many lines of the program's output are kept above its screen.
	scrollback = 1000
	// maxReplay bounds the output in bytes that is kept for a change of size.
	maxReplay = 256 << 10
)

// errEnded means that the user has ended the program.
var errEnded = errors.New("you ended it")

// Guest is a program that needs a terminal but must not have the user's: one that an agent
// chose.
//
// A process that has a terminal keeps it as long as it likes: it reads the user's keys, draws
// over other programs and, on many systems, types for the user, also after its parent has
// ended. So a guest runs on a pty of its own. parley passes keys to it, draws what the
// emulator makes of its output, and ends its whole process tree before the terminal is used
// again.
type Guest struct {
	// Path is the program's file, or its name, which is looked up on PATH.
	Path string
	Args []string
	// Env adds to the environment of this process, as NAME=value.
	Env []string
	// Dir is the working directory; empty means this process's.
	Dir string
	// Title says what runs, on the last line.
	Title string
	// Lines writes the text of the output as it comes, for terminals that only print, and
	// screen readers, instead of drawing on the whole screen.
	Lines bool
}

// Run runs the program in the user's terminal, which in and out must be, until it ends, the
// user ends it, or ctx ends. Its last output stays on the screen. None of its processes
// outlives Run.
func (p Guest) Run(ctx context.Context, in, out *os.File) (err error) {
	if !term.IsTerminal(in.Fd()) || !term.IsTerminal(out.Fd()) {
		return errors.New("it needs a terminal")
	}
	path, err := exec.LookPath(p.Path)
	if err != nil {
		return err
	}
	width, height, err := term.GetSize(out.Fd())
	if err != nil || width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	restore, err := process.MakeRaw(in, out)
	if err != nil {
		return fmt.Errorf("prepare the terminal: %w", err)
	}
	defer func() { err = errors.Join(err, restore()) }()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var v view = &printer{out: out, title: p.Title}
	if !p.Lines {
		v = newWindow(out, p.Title, width, height)
	}
	manager := NewManager(Options{})
	defer func() {
		err = errors.Join(err, manager.Close())
		v.close()
	}()
	cols, rows := v.size(width, height)
	nothing := uint64(0)
	started, id := make(chan struct{}), ""
	id, err = manager.Create(ctx, Spec{
		Command: path, Args: p.Args, Env: p.Env, Cwd: p.Dir, Cols: cols, Rows: rows,
		Input: true, Personal: true, OutputByteLimit: &nothing,
		OnOutput: func(_ string, data []byte) {
			<-started
			if reply := v.take(data); len(reply) > 0 {
				_ = manager.Write(id, reply) // it may just have ended
			}
		},
	})
	if err != nil {
		return err
	}
	close(started)

	var running sync.WaitGroup
	defer running.Wait()
	stopKeys, err := passKeys(in, func(keys []byte) {
		before, _, ends := bytes.Cut(keys, []byte{endKey})
		_ = manager.Write(id, before) // it may just have ended, or not read
		if ends {
			cancel(errEnded)
		}
	}, cancel)
	if err != nil {
		return fmt.Errorf("read keys: %w", err)
	}
	defer stopKeys()
	over := make(chan struct{})
	defer close(over)
	sizes := uv.NewSizeNotifier(out)
	if err := sizes.Start(); err != nil {
		return fmt.Errorf("follow the terminal's size: %w", err)
	}
	defer func() { _ = sizes.Stop() }()
	running.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-sizes.C:
				if width, height, err := sizes.GetSize(); err == nil && width > 0 && height > 0 {
					cols, rows := v.size(width, height)
					_ = manager.Resize(id, cols, rows) // it may just have ended
				}
			}
		}
	})
	status, err := manager.WaitForExit(ctx, id)
	switch {
	case err != nil:
		return context.Cause(ctx)
	case status.ExitCode == nil || *status.ExitCode != 0:
		return errors.New(status.String())
	}
	return nil
}

// passKeys passes on what the user types until stop is called, or the terminal is gone.
func passKeys(in *os.File, pass func([]byte), gone func(error)) (stop func(), err error) {
	reader, err := uv.NewCancelReader(in)
	if err != nil {
		return nil, err
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		defer reader.Close()
		buf := make([]byte, 4<<10)
		for {
			n, err := reader.Read(buf)
			if err != nil {
				gone(fmt.Errorf("read keys: %w", err))
				return
			}
			pass(buf[:n])
		}
	}()
	return func() {
		if reader.Cancel() {
			<-stopped
		}
	}, nil
}

// view shows the output of a program. take and size are called on different goroutines.
type view interface {
	// take shows more output, and returns the answers to the program's queries.
	take(output []byte) (reply []byte)
	// size takes the size of the terminal, and returns what of it is the program's.
	size(width, height int) (cols, rows int)
	// close ends the view.
	close()
}

// window draws the program's screen on the terminal's alternate screen, above a line of
// parley's own.
type window struct {
	out   io.Writer
	title string

	mu            sync.Mutex
	width, height int
	emu           *screen.Screen
	output        []byte // the last of it, for another size
	reply         []byte

	changed, closed chan struct{}
	drawing         sync.WaitGroup
	drawn           []string // the rows on the terminal
	modes           screen.Modes
}

func newWindow(out io.Writer, title string, width, height int) *window {
	w := &window{out: out, title: title, changed: make(chan struct{}, 1), closed: make(chan struct{})}
	w.size(width, height)
	_, _ = io.WriteString(out, ansi.SetModeAltScreenSaveCursor+ansi.EraseEntireDisplay)
	w.drawing.Go(w.run)
	return w
}

func (w *window) size(width, height int) (cols, rows int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	cols, rows = screen.Size(width, max(1, height-1))
	if width == w.width && height == w.height {
		return cols, rows
	}
	w.width, w.height = width, height
	w.emu = screen.New(cols, rows, scrollback)
	_, _ = w.emu.Write(w.output)
	w.emu.SetReply(func(p []byte) {
		if len(w.reply) < maxReplay { // bounds a flood of queries
			w.reply = append(w.reply, p...)
		}
	})
	w.change()
	return cols, rows
}

func (w *window) take(output []byte) (reply []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.output = append(w.output, output...)
	if len(w.output) > 2*maxReplay {
		w.output = bytes.Clone(w.output[len(w.output)-maxReplay:])
	}
	_, _ = w.emu.Write(output)
	w.change()
	reply, w.reply = w.reply, nil
	return reply
}

func (w *window) change() {
	select {
	case w.changed <- struct{}{}:
	default: // a frame is due already
	}
}

// run draws until the window is closed.
func (w *window) run() {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-w.closed:
			return
		case <-w.changed:
		}
		if _, err := w.out.Write(w.frame()); err != nil {
			return
		}
		pause.Reset(frameTime)
		select {
		case <-w.closed:
			return
		case <-pause.C:
		}
	}
}

// frame returns what turns the last frame into the next one.
func (w *window) frame() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b bytes.Buffer
	b.WriteString(ansi.SetModeSynchronizedOutput + ansi.HideCursor)
	rows := w.height - 1
	if len(w.drawn) != rows {
		w.drawn = make([]string, max(0, rows))
		b.WriteString(ansi.EraseEntireDisplay)
	}
	for y := 0; y < rows; {
		end := y + 1
		for end < rows && w.emu.Continues(end-1) && w.whole(w.emu.View(end-1, 0)) {
			end++
		}
		w.draw(&b, y, end)
		y = end
	}
	last := termtext.Truncate(" "+w.title+" · ctrl+] ends it", w.width, "…")
	b.WriteString(ansi.CursorPosition(1, w.height) + ansi.EraseEntireLine + ansi.SGR(ansi.AttrReverse) + last + ansi.ResetStyle)
	modes := w.emu.Modes()
	mode := func(m ansi.Mode, on, before bool) {
		switch {
		case on && !before:
			b.WriteString(ansi.SetMode(m))
		case before && !on:
			b.WriteString(ansi.ResetMode(m))
		}
	}
	mode(ansi.ModeCursorKeys, modes.CursorKeys, w.modes.CursorKeys)
	mode(ansi.ModeBracketedPaste, modes.BracketedPaste, w.modes.BracketedPaste)
	w.modes = modes
	if x, y := w.emu.Cursor(); !modes.CursorHidden && y < rows {
		b.WriteString(ansi.CursorPosition(min(x, w.width-1)+1, y+1) + ansi.ShowCursor)
	}
	b.WriteString(ansi.ResetModeSynchronizedOutput)
	return b.Bytes()
}

// whole reports whether every terminal shows a row in exactly its width.
func (w *window) whole(row string) bool {
	text := ansi.Strip(row)
	return len(text) == w.width && strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

// draw draws rows from y to end, if one has changed. They are one line that is wrapped: it
// is written without a break, so that the terminal knows, and a URL in it can be clicked and
// copied.
func (w *window) draw(b *bytes.Buffer, y, end int) {
	same := true
	for i := y; i < end; i++ {
		same = same && w.drawn[i] == w.emu.View(i, 0)
	}
	if same {
		return
	}
	for i := y; i < end; i++ {
		b.WriteString(ansi.CursorPosition(1, i+1) + ansi.EraseEntireLine)
	}
	b.WriteString(ansi.CursorPosition(1, y+1))
	for i := y; i < end; i++ {
		w.drawn[i] = w.emu.View(i, 0)
		b.WriteString(w.drawn[i])
	}
}

// close leaves the alternate screen, and prints the last output, which says how it went.
func (w *window) close() {
	close(w.closed)
	w.drawing.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	var b bytes.Buffer
	b.WriteString(ansi.ResetModeCursorKeys + ansi.ResetModeBracketedPaste + ansi.ShowCursor + ansi.ResetModeAltScreenSaveCursor)
	if !w.emu.Modes().Alternate {
		for _, line := range w.emu.Lines() {
			b.WriteString(line + "\r\n")
		}
	}
	_, _ = w.out.Write(b.Bytes())
}

// printer prints the text of the output and nothing else of it.
type printer struct {
	out   io.Writer
	title string

	mu      sync.Mutex
	parser  *ansi.Parser
	text    strings.Builder
	printed []rune // not in text yet
	midline bool
	closed  bool
}

func (l *printer) size(width, height int) (cols, rows int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.parser == nil {
		_, _ = io.WriteString(l.out, l.title+" · ctrl+] ends it\r\n")
		l.parser = ansi.NewParser()
		l.parser.SetHandler(ansi.Handler{
			Print: func(r rune) { l.printed = append(l.printed, r); l.midline = true },
			Execute: func(c byte) {
				if strings.IndexByte("\r\n\t\b", c) >= 0 {
					l.show()
					l.text.WriteByte(c)
					l.midline = l.midline && c != '\n'
				}
			},
		})
	}
	return screen.Size(width, height)
}

// show adds what was printed to the text.
func (l *printer) show() {
	l.text.WriteString(termtext.Visible(string(l.printed)))
	l.printed = l.printed[:0]
}

func (l *printer) take(output []byte) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Reset()
	for _, c := range output {
		l.parser.Advance(c)
	}
	l.show()
	if !l.closed {
		_, _ = io.WriteString(l.out, l.text.String())
	}
	return nil
}

func (l *printer) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.midline {
		_, _ = io.WriteString(l.out, "\r\n")
	}
}
