package pictures

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The middle of a cell, where lines meet.
const (
	midX = cellWidth / 2
	midY = cellHeight / 2
)

// arms says of characters that draw lines to which sides of the cell they lead: left,
// right, up, down.
var arms = map[string]string{
	"─": "lr", "│": "ud", "┌": "rd", "┐": "ld", "└": "ru", "┘": "lu",
	"├": "rud", "┤": "lud", "┬": "lrd", "┴": "lru", "┼": "lrud",
	"╴": "l", "╵": "u", "╶": "r", "╷": "d",
}

// corners are the round ones, each with the two sides that it leads to.
var corners = map[string]string{"╭": "rd", "╮": "ld", "╰": "ru", "╯": "lu"}

// Blocks that fill a part of the cell, from the left or from below, in eighths.
const (
	fromLeft  = "▏▎▍▌▋▊▉█"
	fromBelow = "▁▂▃▄▅▆▇█"
)

// line is a straight one, from left to right or from above to below.
type line struct {
	colour         string
	x1, y1, x2, y2 int
}

// drawBox draws a character that is drawn and not written, and says whether it is one.
// x and y are the upper left corner of its cell.
func (d *drawing) drawBox(text, colour string, x, y int) bool {
	if to, is := arms[text]; is {
		d.lines = append(d.lines, linesOf(to, colour, x, y)...)
		return true
	}
	if to, is := corners[text]; is {
		d.curves = append(d.curves, shape{colour, curve(to, x, y)})
		return true
	}
	path := block(text, x, y)
	if path != "" {
		d.blocks = append(d.blocks, shape{colour, path})
	}
	return path != ""
}

// linesOf are the arms of a character.
func linesOf(to, colour string, x, y int) []line {
	var out []line
	has := func(side string) bool { return strings.Contains(to, side) }
	reach := func(before, after bool, from, middle, size int) (int, int) {
		begin, end := from+middle, from+middle
		if before {
			begin = from
		}
		if after {
			end = from + size
		}
		return begin, end
	}
	if left, right := reach(has("l"), has("r"), x, midX, cellWidth); left < right {
		out = append(out, line{colour, left, y + midY, right, y + midY})
	}
	if up, down := reach(has("u"), has("d"), y, midY, cellHeight); up < down {
		out = append(out, line{colour, x + midX, up, x + midX, down})
	}
	return out
}

// curve is the path of a round corner, from one side of the cell to the other.
func curve(to string, x, y int) string {
	side, bend, end := x+cellWidth, y+midY+midX, y+cellHeight
	if strings.Contains(to, "l") {
		side = x
	}
	if strings.Contains(to, "u") {
		bend, end = y+midY-midX, y
	}
	return fmt.Sprintf("M%d %dQ%d %d %d %dV%d", side, y+midY, x+midX, y+midY, x+midX, bend, end)
}

// block is the path of a character that fills a part of its cell, as heavy lines do; ""
// for others.
func block(text string, x, y int) string {
	if i := eighths(fromLeft, text); i > 0 {
		return rectangle(x, y, cellWidth*i/8, cellHeight)
	}
	if i := eighths(fromBelow, text); i > 0 {
		height := cellHeight * i / 8
		return rectangle(x, y+cellHeight-height, cellWidth, height)
	}
	switch text {
	case "━":
		return rectangle(x, y+midY, cellWidth, 2)
	case "┃":
		return rectangle(x+midX-1, y, 3, cellHeight)
	case "▐":
		return rectangle(x+midX, y, cellWidth-midX, cellHeight)
	case "▀":
		return rectangle(x, y, cellWidth, midY)
	}
	return ""
}

// eighths is the place of a character in a series, from 1 on; 0 if it is not in it.
func eighths(series, text string) int {
	at := strings.Index(series, text)
	if at < 0 || text == "" {
		return 0
	}
	return utf8.RuneCountInString(series[:at]) + 1
}

// rectangle is the path of one.
func rectangle(x, y, width, height int) string {
	return fmt.Sprintf("M%d %dh%dv%dh-%dz", x, y, width, height, width)
}

// joined makes one line of those that go on where another ends.
func joined(all []line) []line {
	var out []line
next:
	for _, l := range all {
		for i := range out {
			o := &out[i]
			along := o.y1 == o.y2 && l.y1 == l.y2 || o.x1 == o.x2 && l.x1 == l.x2
			if along && o.colour == l.colour && o.x2 == l.x1 && o.y2 == l.y1 {
				o.x2, o.y2 = l.x2, l.y2
				continue next
			}
		}
		out = append(out, l)
	}
	return out
}

// path is the line as a part of one.
func (l line) path() string {
	if l.y1 == l.y2 {
		return fmt.Sprintf("M%d %dh%d", l.x1, l.y1, l.x2-l.x1)
	}
	return fmt.Sprintf("M%d %dv%d", l.x1, l.y1, l.y2-l.y1)
}
