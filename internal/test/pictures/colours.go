package pictures

import (
	"fmt"
	"strconv"
	"strings"

	"parley/internal/test/ptytest"
)

// colours are those of a terminal.
type colours struct {
	fg, bg string
	named  [16]string
}

// terminalColours are those of the terminal that ptytest is.
func terminalColours(light bool) colours {
	if light {
		return colours{"#242424", "#fafafa", [16]string{
			"#242424", "#b3261e", "#1a7f37", "#8a6100", "#0969da", "#8250df", "#0e7c86", "#6e6e6e",
			"#4d4d4d", "#cf222e", "#1f883d", "#9a6700", "#218bff", "#a475f9", "#1b7c83", "#8c8c8c",
		}}
	}
	return colours{"#d0d0d0", "#1e1e1e", [16]string{
		"#1e1e1e", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d0d0d0",
		"#5c6370", "#ff7b86", "#b1e08d", "#ffd78f", "#7cc4ff", "#dd90f0", "#6fd3e0", "#ffffff",
	}}
}

// of are the colours in which a cell is drawn.
func (c colours) of(cell ptytest.Cell) (fg, bg string) {
	fg, bg = c.hex(cell.FG, c.fg), c.hex(cell.BG, c.bg)
	if cell.Reverse {
		return bg, fg
	}
	return fg, bg
}

// hex is a colour of a cell as #rrggbb; the terminal's own is what stands for none.
func (c colours) hex(colour, own string) string {
	n, err := strconv.Atoi(colour)
	switch {
	case colour == "":
		return own
	case err != nil || strings.HasPrefix(colour, "#"):
		return colour
	case n < 16:
		return c.named[n]
	case n >= 232: // greys
		v := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", v, v, v)
	}
	part := func(n int) int { // a cube of six levels
		if n == 0 {
			return 0
		}
		return 55 + 40*n
	}
	n -= 16
	return fmt.Sprintf("#%02x%02x%02x", part(n/36), part(n/6%6), part(n%6))
}
