package desktop

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// commandTime is how long the user's program may take.
const commandTime = 10 * time.Second

// RunNotifyCommand runs the user's program, and waits for it. There is no shell:
// "{title}" and "{text}" in the arguments are replaced, and the event, title and text
// are in the environment.
func RunNotifyCommand(ctx context.Context, command []string, happening string, n Notification) error {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	title, text := clean(n.Title), clean(n.Text)
	fill := strings.NewReplacer("{title}", title, "{text}", text)
	args := make([]string, 0, len(command))
	for _, arg := range command[1:] {
		args = append(args, fill.Replace(arg))
	}
	cmd := exec.CommandContext(ctx, command[0], args...)
	cmd.Env = append(os.Environ(), "PARLEY_EVENT="+happening, "PARLEY_TITLE="+title, "PARLEY_TEXT="+text)
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the command of [attention] failed: %s: %w", command[0], err)
	}
	return nil
}
