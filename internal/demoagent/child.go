package demoagent

import (
	"fmt"
	"os"
	"os/exec"
)

// stubborn is a program that ignores every signal that can be ignored. Exec keeps
// ignored signals ignored.
const stubborn = `trap '' TERM HUP INT; exec sleep 600`

// spawnChild starts a program that holds this stdout open. Nothing here ends it:
// whoever stops the agent has to end it too.
func (r *runner) spawnChild() error {
	out, ok := r.out.(*os.File)
	if !ok {
		return fmt.Errorf("a child can hold a file open only, and this stdout is a %T", r.out)
	}
	child := exec.Command("sh", "-c", stubborn)
	child.Stdout = out
	if err := child.Start(); err != nil {
		return fmt.Errorf("start a child: %w", err)
	}
	go func() { _ = child.Wait() }()
	_, err := fmt.Fprintf(r.err, "child %d\n", child.Process.Pid)
	return err
}
