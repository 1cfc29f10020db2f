package pattern_test

import (
	"testing"

	"parley/internal/pattern"
)

func TestCompilesWhenItIsUsed(t *testing.T) {
	wrong := pattern.New(`(`) // nothing happens yet
	if word := pattern.New(`^\w+$`); !word().MatchString("word") || word().MatchString("two words") {
		t.Error("the pattern does not say what it is for")
	}
	defer func() {
		if recover() == nil {
			t.Error("a pattern that cannot be compiled is used without a word")
		}
	}()
	wrong()
}
