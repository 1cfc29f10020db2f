package tab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley/internal/command"
	"parley/internal/termtext"
	"parley/tui/desktop"
	"parley/tui/toolview"
	"parley/tui/transcript"
)

// copied describes copied text.
type copied struct {
	what       string // as in "the command"; it may be ""
	characters int
	// cleaned means that control and invisible characters were removed.
	cleaned bool
	// tooLong means that it exceeds mostToTerminal.
	tooLong bool
}

// mostToTerminal is the longest text for the terminal's clipboard, in bytes. The text
// shares a pipe with the screen, and terminals accept no more.
const mostToTerminal = 1 << 20

// copy puts text on the terminal's clipboard and on the system's, because each reaches
// places where the other does not. It removes control characters and reports what is known
// to have happened.
func (u *ui) copy(what, text string) tea.Cmd {
	clean := termtext.Clipboard(text)
	if clean == "" {
		return u.say("there is nothing to copy")
	}
	whole := strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "\uFFFD")
	took := copied{what, utf8.RuneCountInString(clean), clean != whole, len(clean) > mostToTerminal}
	ctx, system := u.program.Context, u.program.Clipboard
	var toTerminal tea.Cmd
	if !took.tooLong {
		toTerminal = send(Copy{clean})
	}
	return tea.Batch(toTerminal, inBackground(func() then {
		way, err := "", desktop.ErrNoClipboard
		if system != nil {
			way, err = system(ctx, clean)
		}
		return func() tea.Cmd { return u.say(took.words(way, err)) }
	}))
}

// words reports the outcome: way is the program that took the text for the system's
// clipboard, err why none did. OSC 52 gets no reply, so the terminal's clipboard is never
// certain.
func (c copied) words(way string, err error) string {
	what := termtext.Count(c.characters, "character")
	if c.what != "" {
		what = c.what + ", " + what
	}
	words := "copied " + what + " (" + way + ")"
	switch {
	case err != nil && c.tooLong:
		return "not copied: " + what + ": too much for the terminal's clipboard (OSC 52), and " +
			strings.ReplaceAll(err.Error(), "\n", "; ")
	case err != nil:
		words = "sent " + what + " to the terminal (OSC 52), which may refuse it"
	}
	if c.cleaned {
		words += ", without control and hidden characters"
	}
	if err != nil && !errors.Is(err, desktop.ErrNoClipboard) {
		words += "; " + strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return words
}

// imageDecoder decodes the images of a transcript one at a time, shortly before they are
// shown.
type imageDecoder struct{ busy bool }

// Next returns the command that decodes the next image, or nil if there is none or one is
// being decoded.
func (d *imageDecoder) Next(list *transcript.List) tea.Cmd {
	if d.busy {
		return nil
	}
	block := list.Pending()
	if block == nil {
		return nil
	}
	d.busy = true
	return inBackground(func() then {
		var thumb *desktop.Thumbnail
		if media := (toolview.Paths{}).Block(block).Media; media != nil {
			if data, err := media.Bytes(); err == nil {
				thumb, _ = desktop.DecodeImage(data) // an image that cannot be drawn stays text
			}
		}
		return func() tea.Cmd {
			d.busy = false
			list.SetPicture(block, thumb)
			return nil
		}
	})
}

// edit opens a file in the editor, at a line unless that is 0.
func (t *Tab) edit(path string, line int) tea.Cmd {
	if t.far() {
		return t.say("this session runs on another machine: edit the file there")
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.cwd, path)
	}
	return t.runEditor(path, line, func() tea.Cmd {
		if l, ok := t.live(); ok && l.changes != nil && l.dialogs.Has(l.changes) {
			return l.changes.Open() // it shows what the editor may have changed
		}
		return nil
	})
}

// runEditor opens a file in the editor, at a line unless that is 0, and reports errors.
// left runs after the editor has exited.
func (u *ui) runEditor(path string, line int, left func() tea.Cmd) tea.Cmd {
	cmd, err := desktop.SystemEditor().Open(path, line)
	if err != nil {
		return tea.Batch(left(), u.say(err.Error()))
	}
	return u.exec(cmd, func(err error) tea.Msg {
		if err != nil {
			err = fmt.Errorf("%s: %w", cmd.Args[0], err)
		}
		return then(func() tea.Cmd { return tea.Batch(left(), u.sayIf(err)) })
	})
}

// open opens a URL or file with the desktop's program. failed reports an error.
func open(url string, failed func(error) tea.Cmd) tea.Cmd {
	return inBackground(func() then {
		if err := desktop.Open(url); err != nil {
			return func() tea.Cmd { return failed(err) }
		}
		return nil
	})
}

// save writes media to a new file, reports its path and opens it.
func save(f command.Front, media *toolview.Media) {
	command.Get(f, "save the content: ", func(context.Context) (string, error) {
		data, err := media.Bytes()
		if err != nil {
			return "", err
		}
		return desktop.TempFile("parley-content-*"+media.Ext, string(data))
	}, func(path string) {
		f.Say("saved as " + path)
		if media.Opens {
			f.OpenFile(path)
		}
	})
}
