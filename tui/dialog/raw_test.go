package dialog

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
)

// The raw input of a call that fills the dialog opens where it can be seen.
func TestTheRawInputScrollsIntoSight(t *testing.T) {
	p := editPermission()
	old := ""
	var lines strings.Builder
	for i := range 60 {
		fmt.Fprintf(&lines, "line %d\n", i)
	}
	p.Asked.Content = acpclient.List[acpclient.ToolCallContent]{acpclient.DiffContent("/p/a.txt", &old, lines.String())}
	p.Asked.RawInput = []byte(`{"only_in_the_raw_input": "here"}`)
	d, c := armed(p)
	d.View(80, 24)
	for range 10 {
		d.Key(press("pgdown"))
		d.View(80, 24)
	}
	d.Key(press("home"))
	d.View(80, 24)
	d.Key(press("alt+i"))
	c.pass(LookTime)
	if text := shownBy(d, 80, 24); !strings.Contains(text, "raw input") {
		t.Errorf("the raw input is not in sight:\n%s", text)
	}
	d.Key(press("home"))
	if text := shownBy(d, 80, 24); strings.Contains(text, "raw input") {
		t.Errorf("home does not scroll back:\n%s", text)
	}
}
