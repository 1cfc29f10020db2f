package tab

import (
	"fmt"
	"os/exec"
	"runtime"

	tea "charm.land/bubbletea/v2"
)

// open opens an address or a file with the program that the person has for it.
// What goes wrong becomes a message.
func open(url string, failed func(error) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if err := OpenURL(url); err != nil {
			return failed(err)
		}
		return nil
	}
}

// OpenURL opens an address or a file with the program that the person has for it. It
// does not wait until that has ended.
func OpenURL(url string) error {
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
