package compare

import (
	"context"
	"time"

	"parley/internal/app"
)

// Checked is the outcome of a check.
type Checked = app.Ran

// checkTime is how long a check may run.
const checkTime = 30 * time.Minute

// RunCheck runs a command of the user's where a side works, in the sandbox that its agent has. most is
// how long it may run, 0 for the usual time. A command that fails is no error.
func RunCheck(ctx context.Context, l *app.Launcher, s *Side, command string, most time.Duration) (Checked, error) {
	if most == 0 || most > checkTime {
		most = checkTime
	}
	return l.RunFor(ctx, s.Agent, s.Dir, command, most)
}
