package cells

import "strings"

const (
	reset   = "\x1b[m"
	linkOff = "\x1b]8;;\x07"
)

// pen is what a styled text has switched on: SGR sequences since the last reset,
// and a link.
type pen struct {
	sgr  string
	link string
}

// follow takes the escape sequences of a text.
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

// on switches on what is on; off switches it off.
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

// dress makes lines of parts of a text. Styles that go on from one to the next
// are switched off between them. What stands between two parts is left out, but
// its escape sequences count.
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
