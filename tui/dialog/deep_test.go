package dialog

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// Input that is nested deep is asked about like any other, and not set out in lines of
// blanks that fill the memory: this test does not end otherwise.
func TestQuestionAboutDeepInput(t *testing.T) {
	const deep = 9000
	p := editPermission()
	p.Asked.RawInput = []byte(`{"odd":` + strings.Repeat("[", deep) + strings.Repeat("1,", 500_000) + "2" + strings.Repeat("]", deep) + `}`)
	d, _ := armed(p)
	if got := ansi.Strip(strings.Join(d.View(120, 30).Lines, "\n")); !strings.Contains(got, "odd") {
		t.Errorf("the input is not shown:\n%s", got)
	}
}
