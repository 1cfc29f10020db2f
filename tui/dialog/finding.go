package dialog

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/config"
	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/theme"
)

// finding is what is looked for in a document.
type finding struct {
	input   list.Input
	writing bool
	from    int // the line in which the look began
	at      int // the line that was found, -1 if there is none
	number  int // of how many lines it is which, from 1
	of      int
}

func (f *finding) words() string { return strings.ToLower(strings.TrimSpace(f.input.Text())) }

func (f *finding) start(line int) { f.writing, f.from, f.at = true, line, -1 }

func (f *finding) stop() { *f = finding{input: list.Input{Hint: f.input.Hint}, at: -1} }

// note says which of the places that were found is shown.
func (f *finding) note() string {
	if f.of == 0 {
		return "not found: " + f.input.Text()
	}
	return fmt.Sprintf("%s: %d of %d", f.input.Text(), f.number, f.of)
}

// plainOf is a drawn line without its looks.
func plainOf(line string) string { return ansi.Strip(line) }

// findKey takes a key while the words are written. It is false for one that scrolls.
func (d *Guide) findKey(msg tea.KeyPressMsg) bool {
	key, keys := msg.String(), d.env.Keys
	switch before := d.find.input.Text(); {
	case keys.Match(config.ActionDialogClose, key):
		d.find.stop()
	case keys.Match(config.ActionDialogAccept, key):
		d.find.writing = false
		if d.find.words() == "" {
			d.find.stop()
		}
	case d.find.input.Key(msg):
		if d.find.input.Text() != before {
			d.look()
		}
	default:
		return false
	}
	return true
}

// look shows the first place from where the look began.
func (d *Guide) look() {
	d.find.at = d.find.from - 1
	d.findOn(1)
}

// findOn shows the next place, or, by -1, the one before, around the ends.
func (d *Guide) findOn(by int) {
	words := d.find.words()
	if words == "" {
		return
	}
	p := paper{d.width, d.env.Theme}
	lines := d.text.lines(p, 0, d.text.height(p))
	var found []int
	for i, line := range lines {
		if strings.Contains(strings.ToLower(plainOf(line)), words) {
			found = append(found, i)
		}
	}
	d.find.of = len(found)
	if len(found) == 0 {
		d.find.at, d.find.number = -1, 0
		return
	}
	next := 0
	if by < 0 {
		next = len(found) - 1
	}
	for i := range found {
		if i = i * by; by < 0 {
			i += len(found) - 1
		}
		if by*(found[i]-d.find.at) > 0 {
			next = i
			break
		}
	}
	d.find.at, d.find.number = found[next], next+1
	const above = 2 // so that it is seen what it belongs to
	d.scroll.By(max(0, found[next]-above) - d.scroll.Top)
}

// mark shows where the words stand in a line.
func (f *finding) mark(line string, number int, th *theme.Theme) string {
	words := f.words()
	if words == "" {
		return line
	}
	text := strings.ToLower(plainOf(line))
	style := th.Accent.Underline(true)
	if number == f.at {
		style = th.Span
	}
	var ranges []lipgloss.Range
	for from := 0; ; {
		i := strings.Index(text[from:], words)
		if i < 0 {
			break
		}
		start := termtext.Width(text[:from+i])
		ranges = append(ranges, lipgloss.NewRange(start, start+termtext.Width(words), style))
		from += i + len(words)
	}
	if ranges == nil {
		return line
	}
	return lipgloss.StyleRanges(line, ranges...)
}
