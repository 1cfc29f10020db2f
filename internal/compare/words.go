package compare

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/config"
	"parley/internal/termtext"
)

// Words describes the comparisons of the repository of dir, the latest first, for front ends
// without a page: what each side has changed, and where.
func Words(ctx context.Context, dir string, now time.Time) (string, error) {
	all, err := Find(ctx, &config.Config{}, dir)
	if err != nil {
		return "", explained(err)
	}
	var lines []string
	for _, c := range all {
		lines = append(lines, fmt.Sprintf("%s, %s: %s", c.Name, termtext.Ago(now.Sub(c.Began)), termtext.Line(c.Prompt)))
		for _, s := range c.Sides {
			lines = append(lines, fmt.Sprintf("  %s: %s, in the worktree %s", termtext.Line(s.Name), s.changedWords(ctx), s.Tree.Name))
		}
	}
	if len(all) == 0 {
		lines = append(lines, "No agents were compared here.")
	} else {
		lines = append(lines, "To see one, merge it, or drop it: parley worktree diff|merge|drop WORKTREE")
	}
	return strings.Join(append(lines, "To compare agents: parley compare -a AGENT -a AGENT PROMPT, in a shell."), "\n"), nil
}

// changedWords says how much a side has changed.
func (s *Side) changedWords(ctx context.Context) string {
	changed, err := s.Changed(ctx)
	switch {
	case err != nil:
		return termtext.Line(err.Error())
	case len(changed.Files) == 0:
		return "no changes"
	}
	return fmt.Sprintf("%s, +%d −%d lines", termtext.Count(changed.Tally().Files, "file"), changed.Added, changed.Removed)
}
