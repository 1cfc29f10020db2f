package markdown

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// A text is parsed up to a bound, so that a list that is nested 2,000 deep holds nothing
// up, and is drawn as it was sent from there on. How it arrived makes no difference.
func TestALongTextIsPlainFromABoundOn(t *testing.T) {
	var nested strings.Builder
	for i := range 2000 {
		nested.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	for name, begin := range map[string]string{
		"a nested list": nested.String(),
		"prose":         strings.Repeat("Some *words* and more of them.\n\n", maxParsed/32),
	} {
		t.Run(name, func(t *testing.T) {
			text := begin + "\n\nwith *stars* and \ta tab\n" + strings.Repeat("long ", maxBlock) + "\nthe end"
			whole := New(dark)
			whole.SetText(text)
			whole.Finish()
			grown := New(dark)
			for n := 0; n < len(text); n += len(text) / 7 {
				grown.SetText(text[:n])
				grown.Lines(grown.Len()-1, 80)
			}
			grown.SetText(text)
			grown.Finish()

			var lines, source []string
			for i := range whole.Len() {
				lines = append(lines, whole.Lines(i, 80)...)
				source = append(source, whole.Source(i))
			}
			var again []string
			for i := range grown.Len() {
				again = append(again, grown.Lines(i, 80)...)
			}
			got := ansi.Strip(strings.Join(lines, "\n"))
			if got != ansi.Strip(strings.Join(again, "\n")) {
				t.Error("the lines depend on how the text arrived")
			}
			if strings.Join(source, "") != text {
				t.Error("the sources are not the text")
			}
			if !strings.Contains(got, "with *stars* and") || !strings.HasSuffix(strings.TrimSpace(got), "the end") {
				t.Errorf("the end is %q", got[max(0, len(got)-200):])
			}
			if n := strings.Count(got, "long"); n != maxBlock {
				t.Errorf("%d words, want %d", n, maxBlock)
			}
		})
	}
}
