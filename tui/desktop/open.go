package desktop

import (
	"fmt"
	"os/exec"
	"runtime"
)

// Open opens an address or a file with the program that the person has for it. It does not
// wait for the program to end.
func Open(url string) error {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("there is no program to open it with: %w", err)
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
