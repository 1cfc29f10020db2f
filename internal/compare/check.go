package compare

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/app"
	"parley/internal/termtext"
	"parley/terminal"
)

// Checked is the outcome of a check.
type Checked struct {
	// Passed means that the command has exited with 0; Why says how it ended otherwise.
	Passed bool   `json:"passed"`
	Why    string `json:"why,omitempty"`
	// Output is the end of what it printed.
	Output string `json:"output,omitempty"`
}

// checkOutput limits what is kept of the output of a check, in bytes.
const checkOutput = 16 << 10

// checkTime is how long a check may run. Tests lower it.
var checkTime = 30 * time.Minute

// RunCheck runs a command of the user's where a side works, in the sandbox that its
// agent has. A command that fails is no error.
func RunCheck(ctx context.Context, l *app.Launcher, s *Side, command string) (Checked, error) {
	wrap, err := l.Wrap(s.Agent, s.Dir)
	if err != nil {
		return Checked{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, checkTime, fmt.Errorf("it ran longer than %v", checkTime))
	defer cancel()
	m := terminal.NewManager(terminal.Options{Wrap: wrap})
	defer m.Close()
	limit := uint64(checkOutput)
	id, err := m.Create(ctx, terminal.Spec{Command: "sh", Args: []string{"-c", command}, Cwd: s.Dir, OutputByteLimit: &limit})
	if err != nil {
		return Checked{}, fmt.Errorf("run the check: %w", err)
	}
	status, err := m.WaitForExit(ctx, id)
	text, _, _, _ := m.Output(id)
	c := Checked{Output: strings.TrimSpace(termtext.Block(text))}
	switch {
	case err != nil && ctx.Err() != nil:
		c.Why = context.Cause(ctx).Error()
	case err != nil:
		return c, err
	case status.ExitCode != nil && *status.ExitCode == 0:
		c.Passed = true
	default:
		c.Why = status.String()
	}
	return c, nil
}
