package cli

import (
	"io"
	"os"
	"os/exec"

	"parley/tui/desktop"
)

// paged calls write with the input of the user's pager, and waits until the user leaves
// it. Without a pager it calls write with the output itself.
func paged(s *streams, write func(io.Writer) error) error {
	words := desktop.Pager(os.Getenv, exec.LookPath)
	if words == nil {
		return write(s.Out)
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr = s.Out, s.Err
	if os.Getenv("LESS") == "" {
		cmd.Env = append(os.Environ(), "LESS=FRX") // as git does: print what fits on the screen
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return write(s.Out)
	}
	_ = write(in) // fails if the user leaves before the end
	_ = in.Close()
	return cmd.Wait()
}
