package test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestProgramsAreBuiltOnce(t *testing.T) {
	for _, program := range []func(testing.TB) string{Parley, Scripted} {
		bin := program(t)
		if info, err := os.Stat(bin); err != nil || info.Mode().Perm()&0o100 == 0 {
			t.Errorf("%s: %v, error %v", bin, info, err)
		}
		if again := program(t); again != bin {
			t.Errorf("built again, as %s", again)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(bin), fmt.Sprintf("build-%d-*", os.Getpid()))); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
	t.Setenv("PARLEY_BIN", "/opt/parley")
	if got := Parley(t); got != "/opt/parley" {
		t.Errorf("Parley = %s, want what PARLEY_BIN says", got)
	}
}
