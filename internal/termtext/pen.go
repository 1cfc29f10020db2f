package termtext

import "strings"

const (
	reset   = "\x1b[m"
	linkOff = "\x1b]8;;\x07"
)

// pen is the style of a text: the SGR sequences since the last reset, and a link.
type pen struct {
	sgr  string
	link string
}

// follow applies the escape sequences of a text.
func (p *pen) follow(s string) {
	for {
		i := strings.IndexByte(s, '\x1b')
		if i < 0 {
			return
		}
		n := escape(s[i:])
		p.take(s[i : i+n])
		s = s[i+n:]
	}
}

func (p *pen) take(seq string) {
	switch {
	case seq == reset || seq == "\x1b[0m":
		p.sgr = ""
	case strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m"):
		if strings.HasPrefix(seq, "\x1b[0;") {
			p.sgr = ""
		}
		p.sgr += seq
	case strings.HasPrefix(seq, "\x1b]8;"):
		p.link = seq
		if _, target, _ := strings.Cut(seq[len("\x1b]8;"):], ";"); strings.Trim(target, "\x07\x1b\\") == "" {
			p.link = ""
		}
	}
}

// on returns the sequences that switch the style on; off switches it off.
func (p *pen) on() string { return p.link + p.sgr }

func (p *pen) off() string {
	s := ""
	if p.sgr != "" {
		s = reset
	}
	if p.link != "" {
		s += linkOff
	}
	return s
}

// dress makes lines from spans of a text. It switches styles off at the end of a line
// and on again in the next. It drops the text between two spans but applies its escape
// sequences.
func dress(s string, spans []span) []string {
	lines := make([]string, len(spans))
	if strings.IndexByte(s, '\x1b') < 0 {
		for i, p := range spans {
			lines[i] = s[p.from:p.to]
		}
		return lines
	}
	var p pen
	at := 0
	for i, part := range spans {
		p.follow(s[at:part.from])
		on := p.on()
		p.follow(s[part.from:part.to])
		lines[i] = on + s[part.from:part.to] + p.off()
		at = part.to
	}
	return lines
}

// Ground draws a styled line on a background that the escape sequence on sets, padded
// to width, and sets it again wherever the line's own styles end.
func Ground(line string, width int, on string) string {
	pad := max(0, width-Width(line))
	var b strings.Builder
	b.Grow(len(line) + pad + (strings.Count(line, reset)+1)*(len(on)+len(reset)))
	b.WriteString(on)
	for {
		i := strings.Index(line, reset)
		if i < 0 {
			break
		}
		i += len(reset)
		b.WriteString(line[:i])
		b.WriteString(on)
		line = line[i:]
	}
	b.WriteString(line)
	for range pad {
		b.WriteByte(' ')
	}
	b.WriteString(reset)
	return b.String()
}

// Span is a part of a line: the bytes From (inclusive) to To (exclusive) of its text
// without escape sequences.
type Span struct{ From, To int }

// Restyle replaces parts of a styled line by what draw returns for their number and
// plain text. The parts must be in order and must not overlap. The text between them
// stays as it is.
func Restyle(line string, parts []Span, draw func(i int, text string) string) string {
	var b strings.Builder
	var p pen
	off := "" // ends the styles that are on where a part begins
	for i, at, part := 0, 0, ""; line != ""; {
		if line[0] == '\x1b' {
			n := escape(line)
			if p.take(line[:n]); part == "" {
				b.WriteString(line[:n])
			}
			line = line[n:]
			continue
		}
		n := strings.IndexByte(line, '\x1b')
		if n < 0 {
			n = len(line)
		}
		if i == len(parts) {
			b.WriteString(line[:n])
		} else if from := parts[i].From; at < from {
			n = min(n, from-at)
			b.WriteString(line[:n])
		} else {
			if part == "" {
				off = p.off()
			}
			n = min(n, parts[i].To-at)
			part += line[:n]
			if n == len(line) || at+n == parts[i].To {
				b.WriteString(off + draw(i, part) + p.on())
				i, part = i+1, ""
			}
		}
		at, line = at+n, line[n:]
	}
	return b.String()
}
