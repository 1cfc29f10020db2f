package termtext_test

import (
	"testing"
	"time"

	"parley/internal/termtext"
)

func TestDurationsInWords(t *testing.T) {
	for d, want := range map[time.Duration][2]string{
		1200 * time.Millisecond:                   {"1s", "1.2s"},
		1999 * time.Millisecond:                   {"1s", "1.9s"},
		9999 * time.Millisecond:                   {"9s", "9.9s"},
		10 * time.Second:                          {"10s", "10s"},
		59*time.Second + 999*time.Millisecond:     {"59s", "59s"},
		125 * time.Second:                         {"2m 05s", "2m 05s"},
		3*time.Hour + 7*time.Minute + time.Second: {"3h 07m", "3h 07m"},
	} {
		if got := [2]string{termtext.Elapsed(d), termtext.Took(d)}; got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
