package termtext

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// JoinSides puts one text at the left and one at the right of a line, and cuts the left
// one first.
func JoinSides(left, right string, width int) string {
	rw := Width(right)
	if rw >= width {
		return Truncate(right, width, "")
	}
	left = Truncate(left, max(0, width-rw-1), "…")
	gap := width - Width(left) - rw
	if strings.TrimSpace(ansi.Strip(right)) == "" {
		return left
	}
	return left + strings.Repeat(" ", gap) + right
}

// Count is a number of things in words: "1 line", "2 lines".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
