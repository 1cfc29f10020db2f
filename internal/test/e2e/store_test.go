package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"parley/internal/conversation"
	"parley/internal/store"
)

// stored are the sessions that a home directory keeps, as texts of their agents'
// messages.
func stored(t *testing.T, home string) []string {
	t.Helper()
	s := store.New(filepath.Join(home, ".local", "state", "parley", "sessions"))
	x, err := s.OpenIndex(t.Context())
	must(t, err)
	defer x.Close()
	must(t, x.Refresh(t.Context()))
	list, err := x.List(t.Context(), store.Query{})
	must(t, err)
	var out []string
	for _, m := range list {
		var text strings.Builder
		for e, err := range s.Events(m.ID) {
			must(t, err)
			if c, ok := e.(conversation.Text); ok {
				text.WriteString(c.Text)
			}
		}
		out = append(out, text.String())
	}
	return out
}

const counting = `
handshake
expect session/prompt
repeat 300
  say "line ${n}\n\n"
end
end-turn
`

// What stood on the screen is on the disk, also if parley is killed.
func TestKeepsWhatWasOnTheScreen(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := Start(t, Options{Home: home, Script: strings.ReplaceAll(counting, "end-turn", "sleep 1h")})
	p.Ready().Ask("count").Shows("line 300")
	p.Signal(syscall.SIGKILL)
	p.WaitExit()
	if got := stored(t, home); len(got) != 1 || !strings.Contains(got[0], "line 300") || !strings.Contains(got[0], "line 1\n") {
		t.Errorf("stored is %q", got)
	}
}

func TestKeepsNothingIfNothingIsToBeKept(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := Start(t, Options{Home: home, Script: counting, Config: "store = false"})
	p.Ready().Ask("count").Shows("line 300").Idle().Leave().Exits(0)
	files, err := filepath.Glob(filepath.Join(home, ".local", "state", "parley", "*"))
	must(t, err)
	if slices.ContainsFunc(files, func(f string) bool { return strings.HasSuffix(f, "sessions") }) {
		t.Errorf("there are %s", files)
	}
}
