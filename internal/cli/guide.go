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
	return &cobra.Command{
		Use:   "guide",
		Short: "Show the user's guide",
		Long: `guide shows the user's guide in your pager: $PAGER, or less. PAGER=cat prints it
at once. Into a file or another program it writes plain Markdown.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return printGuide(s) },
	}
}

// printGuide prints the guide as fits the output. An error in the configuration is
// returned after the guide, which explains it, has been printed.
func printGuide(s *streams) error {
	if !s.OutTerminal {
		_, err := io.WriteString(s.Out, docs.Guide())
		return err
	}
	cfg, wrong := config.Load(config.ConfigFile())
	if wrong != nil {
		cfg = config.Default()
	}
	err := paged(s, func(to io.Writer) error { return drawMarkdown(s, cfg, to)(docs.Guide()) })
	if err != nil {
		return fmt.Errorf("print the guide: %w", err)
	}
	return wrong
}

// drawMarkdown returns a function that writes documents in the style of the configuration,
// for the width and colours of the terminal.
func drawMarkdown(s *streams, cfg *config.Config, to io.Writer) func(document string) error {
	profile := colorprofile.Detect(s.Out, os.Environ())
	th := tui.SchemeFor(cfg, isDark(cfg)).Theme(theme.DepthOf(profile)).WithMarkdown(cfg.MarkdownStyle.Style)
	out := &colorprofile.Writer{Forward: to, Profile: profile}
	return func(document string) error {
		lines := markdown.Whole(document, terminalWidth(s.Out), th)
		_, err := fmt.Fprintln(out, strings.Join(lines, "\n"))
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
