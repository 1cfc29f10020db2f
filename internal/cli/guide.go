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

// guideCommand prints the user's guide.
func guideCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "guide",
		Short: "Print the user's guide",
		Long: `guide prints the user's guide: drawn for the terminal in your style for
Markdown, or as the Markdown it is when the output goes into a file or a
program. To read it page by page:  parley guide | less`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return printGuide(s) },
	}
}

// printGuide prints the guide as fits the output. A configuration that cannot be
// used is told of when the guide, which explains it, has been printed.
func printGuide(s *streams) error {
	if !s.OutTerminal {
		_, err := io.WriteString(s.Out, docs.Guide())
		return err
	}
	cfg, wrong := config.Load(config.ConfigFile())
	if wrong != nil {
		cfg = config.Default()
	}
	if err := drawMarkdown(s, cfg)(docs.Guide()); err != nil {
		return fmt.Errorf("print the guide: %w", err)
	}
	return wrong
}

// drawMarkdown draws documents on a terminal, in the style of the configuration.
func drawMarkdown(s *streams, cfg *config.Config) func(document string) error {
	depth := theme.DepthOf(colorprofile.Detect(s.Out, os.Environ()))
	th := tui.SchemeFor(cfg, isDark(cfg)).Theme(depth).WithMarkdown(cfg.MarkdownStyle.Style)
	return func(document string) error {
		lines := markdown.Whole(document, terminalWidth(s.Out), th)
		// Lip Gloss writes the colours that the terminal has.
		_, err := lipgloss.Fprintln(s.Out, strings.Join(lines, "\n"))
		return err
	}
}

// terminalWidth is the width of a terminal, in cells.
func terminalWidth(out io.Writer) int {
	const usual = 80
	f, ok := out.(*os.File)
	if !ok {
		return usual
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil || width <= 0 {
		return usual
	}
	return width
}

// isDark says for which background a theme that follows the terminal is to be: the
// terminal is asked. For all others it does not matter.
func isDark(cfg *config.Config) bool {
	return cfg.Themes.Chosen != config.ThemeAuto || lipgloss.HasDarkBackground(os.Stdin, os.Stdout)
}
