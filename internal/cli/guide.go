package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"parley/config"
	"parley/docs"
	"parley/tui"
	"parley/tui/markdown"
	"parley/tui/theme"
)

// guideCommand shows the user's guide.
func guideCommand(s *streams) *cobra.Command {
	return leaf("guide", `Show the user's guide
guide shows the user's guide in your pager: $PAGER, or less. PAGER=cat prints it
at once. Into a file or another program it writes plain Markdown.`, noArguments, func(*cobra.Command, []string) error { return printGuide(s) })
}

// printGuide prints the guide, styled on a terminal. It returns an error in the
// configuration only afterwards, because the guide explains it.
func printGuide(s *streams) error {
	if !s.OutTerminal {
		_, err := io.WriteString(s.Out, docs.Guide())
		return err
	}
	cfg, wrong := loadConfig()
	if wrong != nil {
		cfg = config.Default(nil)
	}
	err := paged(s, func(to io.Writer) error { return drawer(s, cfg, to)(docs.Guide()) })
	if err != nil {
		return fmt.Errorf("print the guide: %w", err)
	}
	return wrong
}

// markdownWriter returns a function that prints documents: styled on a terminal, else as
// they are.
func markdownWriter(s *streams, cfg *config.Config) func(document string) error {
	if s.OutTerminal {
		return drawer(s, cfg, s.Out)
	}
	return s.printBlock
}

// drawer returns a function that writes documents, drawn in the style of the configuration for
// the width and colours of the terminal.
func drawer(s *streams, cfg *config.Config, to io.Writer) func(document string) error {
	profile := colorprofile.Detect(s.Out, os.Environ())
	dark := cfg.Themes.Chosen != config.ThemeAuto || lipgloss.HasDarkBackground(os.Stdin, os.Stdout) // asks the terminal
	th := tui.SchemeFor(cfg, dark).Theme(theme.DepthOf(profile)).WithMarkdown(cfg.MarkdownStyle.Style)
	out := &colorprofile.Writer{Forward: to, Profile: profile}
	return func(document string) error {
		width := 80
		if f, ok := s.Out.(*os.File); ok {
			if w, _, err := term.GetSize(f.Fd()); err == nil && w > 0 {
				width = w
			}
		}
		_, err := fmt.Fprintln(out, strings.Join(markdown.Draw(document, width, th), "\n"))
		return err
	}
}
