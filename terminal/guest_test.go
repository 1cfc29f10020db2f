//go:build unix

package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"parley/internal/process"
	"parley/internal/test/ptytest"
)

// guestEnv makes the test binary the host of a guest: a script of sh.
const guestEnv = "GUEST_TEST_SCRIPT"

// runGuest runs a guest in the terminal of this process.
func runGuest(script string) {
	supervision := process.BeginSupervision(context.Background())
	err := Guest{
		Path: "/bin/sh", Args: []string{"-c", script}, Title: "The guest", Lines: os.Getenv("LINES_ONLY") != "",
	}.Run(context.Background(), os.Stdin, os.Stdout)
	fmt.Println("ended:", err)
	var line string
	_, _ = fmt.Scanln(&line)
	fmt.Println("typed:", line)
	supervision.End()
	os.Exit(7)
}

func launch(t *testing.T, script string, o ptytest.Options) *ptytest.Terminal {
	t.Helper()
	bin, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Cmd, o.Env, o.Cols, o.Rows, o.Keep = []string{bin}, append(o.Env, guestEnv+"="+script), 80, 24, true
	return ptytest.Start(t, o)
}

// readFile returns the content of a file that the guest has made in its directory.
func readFile(t *testing.T, term *ptytest.Terminal, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(term.Dir(), name))
	if err != nil {
		t.Error(err)
	}
	return strings.TrimSpace(string(text))
}

// runs reports whether a process runs. A dead one may wait for its new parent.
func runs(pid int) bool {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) && !strings.Contains(string(status), "State:\tZ")
}

// A child that the guest leaves behind has neither the user's terminal nor any life after
// the guest.
func TestChildThatStaysReadsNoKeys(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"", "1"} {
		term := launch(t, `trap '' HUP TERM
tty > tty
read -r line
echo "the guest read $line"
exec 3<&0
(while read -r line <&3; do echo "$line" >> stolen; done; exec sleep 1000) 3<&3 &
echo $! > child`, ptytest.Options{Env: []string{"LINES_ONLY=" + mode}})
		term.WaitFor("The guest · ctrl+] ends it").Type("mine").Press("enter")
		term.WaitFor("ended: <nil>", "the guest read mine")
		child, err := strconv.Atoi(readFile(t, term, "child"))
		if err != nil || runs(child) {
			t.Errorf("the child %d still runs, %v", child, err)
		}
		term.Type("secret").Press("enter").WaitFor("typed: secret")
		if stolen, _ := os.ReadFile(filepath.Join(term.Dir(), "stolen")); strings.Contains(string(stolen), "secret") {
			t.Errorf("the child has read %q", stolen)
		}
		var theirs, ours syscall.Stat_t
		if err := syscall.Stat(fmt.Sprintf("/proc/%d/fd/0", term.Pid()), &ours); err != nil {
			ours = syscall.Stat_t{}
		}
		if name := readFile(t, term, "tty"); syscall.Stat(name, &theirs) == nil && theirs.Rdev == ours.Rdev && ours.Rdev != 0 {
			t.Errorf("the guest has the user's terminal, %s", name)
		}
		if got := term.WaitExit(); got != 7 {
			t.Errorf("exit code %d", got)
		}
	}
}

// Nothing that the guest prints reaches the terminal but its text and colours: no title, no
// clipboard, no question that the terminal would answer as if the user had typed.
func TestOutputOnlyPrints(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"", "1"} {
		term := launch(t, `printf '\033]0;a title\007\033]52;c;c3RvbGVu\007\033[21t\033]8;;http://x.example\033\\link\033]8;;\033\\ \033[31mred\033[m \033[>c \303\227\n'
echo 'the end'; exit 3`, ptytest.Options{Env: []string{"LINES_ONLY=" + mode}})
		term.WaitFor("link red", "×", "the end", "ended: exit code 3")
		for _, never := range []string{"a title", "c3RvbGVu", "\x1b[21t", "x.example", "\x1b[>c"} {
			if strings.Contains(term.Raw(), never) {
				t.Errorf("lines only %q: %q reaches the terminal", mode, never)
			}
		}
		term.Press("enter").WaitExit()
	}
}

// The user ends a guest that hangs, the guest sees the terminal's size, and what it says last
// stays.
func TestUserEndsIt(t *testing.T) {
	t.Parallel()
	term := launch(t, `trap '' INT; stty size; trap 'stty size' WINCH; while :; do read -r line; done`, ptytest.Options{})
	term.WaitFor("23 80").Resize(60, 20).WaitFor("19 60").Press("ctrl+c", "ctrl+]").WaitFor("ended: you ended it", "19 60")
	if term.AltScreen() {
		t.Error("the alternate screen stays")
	}
	term.Press("enter").WaitExit()
}

// A long URL is one line for the terminal, which lets the user click and copy it.
func TestWrappedLineIsOneLine(t *testing.T) {
	t.Parallel()
	url := "https://example.com/" + strings.Repeat("0123456789", 15)
	term := launch(t, `echo `+url+`; read -r line`, ptytest.Options{})
	term.WaitFor(url[:80], url[160:])
	if !strings.Contains(term.Raw(), url) {
		t.Errorf("the URL is broken in %q", term.Raw())
	}
	term.Press("enter").WaitFor("ended:").Press("enter").WaitExit()
}
