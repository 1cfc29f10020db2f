package cli

import (
	"strings"
	"testing"

	"parley/internal/test"
)

// What cannot be compared is refused before anything is made.
func TestComparisonsThatAreRefused(t *testing.T) {
	test.Apart(t)
	t.Chdir(t.TempDir())
	two := []string{"-a", "claude", "-a", "codex"}
	for want, args := range map[string][]string{
		"2 to 6 agents, not 1":                     {"-a", "claude", "go"},
		"2 to 6 agents, not 7":                     append(strings.Fields(strings.Repeat("-a claude ", 7)), "go"),
		"no prompt":                                two,
		"one prompt, not 2":                        append(two, "go", "-p", "on"),
		"the prompt is empty":                      append(two, " "),
		"--output must be text or json":            append(two, "--output", "stream-json", "go"),
		"--check has no command":                   append(two, "--check", " ", "go"),
		"--keep must be best-check":                append(two, "--check", "true", "--keep", "all", "go"),
		"--keep best-check needs --check":          append(two, "--keep", "best-check", "go"),
		"--check or --no-worktrees":                append(two, "--no-worktrees", "--check", "true", "go"),
		"--allow or --no-worktrees":                append(two, "--no-worktrees", "--allow", "edit", "go"),
		"--timeout must be positive":               append(two, "--timeout", "0s", "go"),
		"--max-cost must be above 0":               append(two, "--max-cost", "-1", "go"),
		`"model" in "claude:model" sets nothing`:   {"-a", "claude:model", "-a", "codex", "go"},
		"the tour has a project of its own":        {"-a", "claude", "-a", "tour", "go"},
		"not in a git repository":                  append(two, "go"),
		"To have them answer side by side, withou": append(two, "go"),
	} {
		var said strings.Builder
		s := &streams{In: strings.NewReader(""), Out: &said, Err: &said, InTerminal: true}
		if code := run(t.Context(), s, append([]string{"compare"}, args...)); code == exitOK || !strings.Contains(said.String(), want) {
			t.Errorf("%q: exit %d, %s; want %s", args, code, said.String(), want)
		}
	}
}
