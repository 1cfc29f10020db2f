package tui

import (
	"fmt"
	"testing"

	"parley/tui/tab"
)

// What is copied is as clean as what is drawn: pasted into a shell, it runs nothing.
func TestWhatIsCopiedIsClean(t *testing.T) {
	p := newProgram(t, map[string]string{"idle": idle})
	cmd := p.grant(tab.Copy{Text: "ls\x1b[201~\x03; rm\u202e -rf\r ~\u200b\x07"})
	if got, want := fmt.Sprint(cmd()), "ls; rm -rf\n ~"; got != want {
		t.Errorf("the clipboard gets %q, want %q", got, want)
	}
}
