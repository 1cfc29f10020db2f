package host

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// However much is logged, by however many hosts, the log is bounded and has the latest.
func TestTheLogOfHostsIsBounded(t *testing.T) {
	dir := t.TempDir()
	var hosts [3]*slog.Logger
	for i := range hosts {
		l := LogIn(dir)
		l.most = 64 << 10
		hosts[i] = slog.New(slog.NewTextHandler(l, nil)).With("session", i)
	}
	for i := range 900 {
		hosts[i%3].Warn(fmt.Sprint("line ", i), "of", strings.Repeat("x", i%2*700+i%100/99*(1<<20)))
	}
	var all string
	for _, name := range []string{"log.old", "log"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || len(data) > 64<<10 {
			t.Errorf("%s has %d bytes: %v", name, len(data), err)
		}
		all += string(data)
	}
	for i := 860; i < 900; i++ {
		if !strings.Contains(all, fmt.Sprintf("\"line %d\"", i)) {
			t.Errorf("line %d is missing", i)
		}
	}
}
