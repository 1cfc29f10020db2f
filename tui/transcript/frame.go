package transcript

import (
	"fmt"
	"regexp"
	"strings"

	"parley/tui/theme"
)

// style is a sequence that changes how text looks.
var style = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// unframed is a line in which nothing has the colour of a dialog's frame: what programs
// print has the colours that they give it. It is drawn in the terminal's own then.
func unframed(line string, th *theme.Theme) string {
	r, g, b, _ := th.BorderFocused.RGBA()
	frame := fmt.Sprintf("38;2;%d;%d;%d", r>>8, g>>8, b>>8)
	if !strings.Contains(line, frame) {
		return line
	}
	return style.ReplaceAllStringFunc(line, func(s string) string {
		return strings.NewReplacer(frame+";", "39;", frame+"m", "39m").Replace(s)
	})
}
