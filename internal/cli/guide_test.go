//go:build unix

package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/headless"
	"parley/internal/store"
	"parley/tui/markdown"
	"parley/tui/theme"
)

// onTerminal returns the guide as a terminal of a width gets it.
func onTerminal(t *testing.T, width uint16, configuration string) (string, error) {
	t.Helper()
	return writtenTo(t, width, configuration, printGuide)
}

// writtenTo returns what a command writes to a terminal of a width.
func writtenTo(t *testing.T, width uint16, configuration string, command func(*streams) error) (string, error) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("GLAMOUR_STYLE", "")
	t.Setenv("PAGER", "cat")
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
	err = command(&streams{Out: slave, Err: io.Discard, OutTerminal: true})
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

func TestGuideGoesThroughThePager(t *testing.T) {
	text, err := writtenTo(t, 80, "theme = \"dark\"\n", func(s *streams) error {
		t.Setenv("PAGER", "sed -n 's/.*The guide to.*/paged/p'")
		return printGuide(s)
	})
	if err != nil || text != "paged\n" {
		t.Errorf("%v: %.300q", err, text)
	}
}

// A pager that the user leaves early is no error.
func TestGuideWithAPagerThatEndsEarly(t *testing.T) {
	text, err := writtenTo(t, 80, "theme = \"dark\"\n", func(s *streams) error {
		t.Setenv("PAGER", "true")
		return printGuide(s)
	})
	if err != nil || text != "" {
		t.Errorf("%v: %.300q", err, text)
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
	if !strings.Contains(ansi.Strip(text), "The guide to parley") {
		t.Errorf("the guide is %.200q", text)
	}
}

// answer is Markdown that looks different when it is drawn.
const answer = "# Found it\n\n| file | line |\n|---|---|\n| **main.go** | 7 |\n"

// drawnAnswer is the answer as the transcript draws it, without colours.
func drawnAnswer(width int) string {
	return ansi.Strip(strings.Join(markdown.Draw(answer, width, theme.New(true)), "\n")) + "\n"
}

func TestAnswersOfRunAreDrawn(t *testing.T) {
	text, err := writtenTo(t, 60, "theme = \"dark\"\n", func(s *streams) error {
		cfg, err := loadConfig()
		if err != nil {
			return err
		}
		var opt headless.Options
		(&runOptions{startOptions: startOptions{streams: s}}).write(&opt, cfg)
		return opt.Answer(answer)
	})
	if got := ansi.Strip(text); err != nil || got != drawnAnswer(60) {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestAShownSessionIsDrawn(t *testing.T) {
	s := store.New(t.TempDir())
	log, err := s.Create(store.Meta{Agent: "mine", Cwd: "/project", Created: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(log.Append([]conversation.Event{
		conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("# not *Markdown*\x1b[2J")}},
		conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: answer},
		conversation.TurnEnded{Reason: acpclient.StopEndTurn},
	}), log.Close())
	if err != nil {
		t.Fatal(err)
	}
	text, err := writtenTo(t, 60, "theme = \"dark\"\n", func(out *streams) error {
		cfg, err := loadConfig()
		if err != nil {
			return err
		}
		return printSession(t.Context(), out, cfg, s, log.ID())
	})
	got := ansi.Strip(text)
	if err != nil || !strings.Contains(got, "\n"+drawnAnswer(60)) || !strings.Contains(got, "\n> # not *Markdown*") || strings.Contains(text, "\x1b[2J") {
		t.Errorf("%v\n%s", err, got)
	}
}
