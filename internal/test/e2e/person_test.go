//go:build unix

package e2e

import (
	"strings"
	"testing"
)

func TestNumberOfAnAnswer(t *testing.T) {
	d := dialog{lines: strings.Split(`╭─ Permission ─────────────────────────────╮
│  2  No 3  Yes                            │
│                                          │
│    1  y  ✓ Yes                           │
│  ❯ 2  a  ✓ Yes, and do not ask again     │
│    3  n  ✗ No  other                     │
│       o  ✗ Never                         │
╰──────────────────────────────────────────╯`, "\n")}
	for name, want := range map[string]string{
		"Yes": "1", "Yes, and do not ask again": "2", "No": "3", "Never": "", "Maybe": "", "ask": "",
	} {
		if got := d.numberOf(name); got != want {
			t.Errorf("%s has the number %q, want %q", name, got, want)
		}
	}
}
