//go:build unix

package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
)

// onTerminal is the guide as a terminal of a width gets it.
func onTerminal(t *testing.T, width uint16, configuration string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("GLAMOUR_STYLE", "")
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("COLORTERM", "truecolor")
	if err := os.MkdirAll(filepath.Join(dir, "parley"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "parley", "config.toml"), []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no pty: %v", err)
	}
	defer master.Close()
	if err := pty.Setsize(slave, &pty.Winsize{Cols: width, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(master) // ends with an error when the other side is closed
		text <- string(all)
	}()
	err = printGuide(&streams{Out: slave, OutTerminal: true})
	_ = slave.Close()
	return strings.ReplaceAll(<-text, "\r\n", "\n"), err
}

func TestGuideOnATerminalIsDrawn(t *testing.T) {
	for _, width := range []uint16{40, 100} {
		text, err := onTerminal(t, width, "theme = \"dark\"\n")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text, "\x1b[") || strings.Contains(text, "**") || strings.Contains(text, "| --- |") {
			t.Errorf("it is not drawn: %.300q", text)
		}
		longest := 0
		for line := range strings.Lines(text) {
			longest = max(longest, ansi.StringWidth(line))
		}
		if longest > int(width) || longest < int(width)/2 {
			t.Errorf("on a terminal of %d columns a line is %d wide", width, longest)
		}
	}
}

func TestGuideIsDrawnInTheStyleOfTheConfiguration(t *testing.T) {
	own, _ := onTerminal(t, 80, "theme = \"dark\"\n")
	pink, err := onTerminal(t, 80, "theme = \"dark\"\nmarkdown_style = \"pink\"\n")
	if err != nil || pink == own || !strings.Contains(pink, "▌ ") {
		t.Errorf("%v: %.300q", err, pink)
	}
}

func TestGuideIsPrintedThoughTheConfigurationIsWrong(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	text, err := onTerminal(t, 80, "theme = \"drak\"\nmarkdown_style = 3\n")
	if err == nil || !strings.Contains(err.Error(), `did you mean "dark"?`) {
		t.Errorf("the error is %v", err)
	}
	if !strings.Contains(text, "The guide to parley") {
		t.Errorf("the guide is %.200q", text)
	}
}
