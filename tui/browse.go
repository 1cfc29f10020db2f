package tui

import (
	"fmt"
	"os/exec"
	"runtime"

	tea "charm.land/bubbletea/v2"
)

// browse opens an address in the person's browser.
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
			return failedMsg{fmt.Errorf("the browser could not be opened, open the address yourself: %w", err)}
		}
		go func() { _ = cmd.Wait() }()
		return nil
	}
}
