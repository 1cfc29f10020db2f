package tui

import (
	"fmt"
	"os/exec"
	"runtime"

	tea "charm.land/bubbletea/v2"
)

// browse opens an address or a file with the program that the person has for it.
func browse(url string) tea.Cmd {
	return func() tea.Msg {
		name, args := "xdg-open", []string{url}
		switch runtime.GOOS {
		case "darwin":
			name = "open"
		case "windows":
			name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
		}
		cmd := exec.Command(name, args...)
		if err := cmd.Start(); err != nil {
			return failedMsg{fmt.Errorf("open it yourself, there is no program for it: %w", err)}
		}
		go func() { _ = cmd.Wait() }()
		return nil
	}
}
