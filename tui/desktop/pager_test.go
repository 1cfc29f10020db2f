package desktop

import (
	"os/exec"
	"slices"
	"testing"
)

func TestPager(t *testing.T) {
	for value, want := range map[string][]string{
		"":                {"less", "-R"},
		"cat":             nil,
		"less -FRX":       {"less", "-FRX"},
		"'my pager' -a":   {"my pager", "-a"},
		"not-there":       nil,
		"less | tee copy": nil,
	} {
		got := Pager(func(name string) string {
			if name == "PAGER" {
				return value
			}
			return ""
		}, func(program string) (string, error) {
			if program == "not-there" {
				return "", exec.ErrNotFound
			}
			return program, nil
		})
		if !slices.Equal(got, want) {
			t.Errorf("PAGER=%q: %q, want %q", value, got, want)
		}
	}
}
