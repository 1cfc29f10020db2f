//go:build unix

package e2e

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"parley/internal/test/ptytest"
)

// drawn is the picture of what a program prints.
func drawn(t *testing.T, prints string) string {
	t.Helper()
	term := ptytest.Start(t, ptytest.Options{Cmd: []string{"sh", "-c", `printf "$0"; printf '\nthe end'; read end`, prints}, Cols: 20, Rows: 5})
	term.WaitFor("the end")
	picture := string(SVG(term.Screen(), "A <title>", false))
	term.Press("enter").WaitExit()
	d := xml.NewDecoder(strings.NewReader(picture))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return picture
		} else if err != nil {
			t.Fatalf("no XML: %v\n%s", err, picture)
		}
	}
}

// Every word stands at its column, in its look, and as wide as its cells.
func TestWordsOfAPicture(t *testing.T) {
	t.Parallel()
	picture := drawn(t, `\033[1;38;2;1;2;3mbold\033[m  a<b&c  \033[7mback\033[m`)
	for _, want := range []string{
		`<title>A &lt;title&gt;</title>`, `width="184" height="109"`,
		`<tspan x="0" class="c0" textLength="32">bold</tspan>`, `.c0{fill:#010203;font-weight:bold}`,
		`<tspan x="48" class="c1" textLength="40">a&lt;b&amp;c</tspan>`,
		`<path fill="#d0d0d0" shape-rendering="crispEdges" d="M104 0h32v17h-32z"/>`, `.c2{fill:#1e1e1e}`,
	} {
		if !strings.Contains(picture, want) {
			t.Errorf("missing: %s\n%s", want, picture)
		}
	}
}

// Lines and blocks are drawn: what meets on the screen meets in the picture.
func TestLinesOfAPicture(t *testing.T) {
	t.Parallel()
	picture := drawn(t, `╭──╮\n│██│\n╰──╯`)
	for _, want := range []string{
		"M8 8h16", "M8 42h16", // each line from one corner to the other
		"M4 17v17", "M28 17v17",
		"M8 17h8v17h-8z", "M16 17h8v17h-8z",
		"M8 8Q4 8 4 12V17", "M24 42Q28 42 28 38V34",
	} {
		if !strings.Contains(picture, want) {
			t.Errorf("missing: %s\n%s", want, picture)
		}
	}
	if strings.ContainsAny(picture, "╭─╮│█╰╯") {
		t.Errorf("lines are written as characters:\n%s", picture)
	}
}
