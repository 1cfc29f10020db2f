package screen

import (
	"image/color"
	"strconv"

	"github.com/charmbracelet/x/ansi"
)

// paint is a colour in one comparable word: a kind in the top byte, and the palette
// index or 0xRRGGBB below. Zero is the default colour.
type paint uint32

const (
	paletteColor paint = 1 << 24
	trueColor    paint = 2 << 24
	kindMask     paint = 0xff << 24
)

// attribute is a bit set of the supported text attributes. Blinking is left out because
// it distracts, concealing because it would hide output from the user who has to judge
// it.
type attribute uint8

const (
	bold attribute = 1 << iota
	faint
	italic
	reverse
	strike
)

// style is the style of one cell; the zero value is plain.
type style struct {
	fg, bg, line paint // line is the underline's colour
	attrs        attribute
	underline    uint8 // 0 none, 1 single, 2 double, 3 curly, 4 dotted, 5 dashed
}

// visible reports whether a blank in this style is visible.
func (s style) visible() bool {
	return s.bg != 0 || s.underline != 0 || s.attrs&(reverse|strike) != 0
}

// apply applies an SGR sequence (ECMA-48 8.3.117, with the colours and underlines of
// xterm and kitty).
func (s *style) apply(params ansi.Params) {
	if len(params) == 0 {
		*s = style{}
		return
	}
	for i := 0; i < len(params); i++ {
		switch v := params[i].Param(0); v {
		case 0:
			*s = style{}
		case 1:
			s.attrs |= bold
		case 2:
			s.attrs |= faint
		case 3:
			s.attrs |= italic
		case 4:
			s.underline = 1
			if params[i].HasMore() && i+1 < len(params) {
				i++
				s.underline = uint8(min(max(params[i].Param(1), 0), 5))
			}
		case 7:
			s.attrs |= reverse
		case 9:
			s.attrs |= strike
		case 21:
			s.underline = 2
		case 22:
			s.attrs &^= bold | faint
		case 23:
			s.attrs &^= italic
		case 24:
			s.underline = 0
		case 27:
			s.attrs &^= reverse
		case 29:
			s.attrs &^= strike
		case 38, 48, 58:
			var c color.Color
			used := ansi.ReadStyleColor(params[i:], &c)
			if used <= 0 {
				return // what follows may be part of the colour
			}
			i += used - 1
			switch v {
			case 38:
				s.fg = toPaint(c)
			case 48:
				s.bg = toPaint(c)
			case 58:
				s.line = toPaint(c)
			}
		case 39:
			s.fg = 0
		case 49:
			s.bg = 0
		case 59:
			s.line = 0
		default:
			switch {
			case v >= 30 && v <= 37:
				s.fg = paletteColor | paint(v-30)
			case v >= 40 && v <= 47:
				s.bg = paletteColor | paint(v-40)
			case v >= 90 && v <= 97:
				s.fg = paletteColor | paint(v-90+8)
			case v >= 100 && v <= 107:
				s.bg = paletteColor | paint(v-100+8)
			}
		}
	}
}

func toPaint(c color.Color) paint {
	switch c := c.(type) {
	case nil:
		return 0
	case ansi.BasicColor:
		return paletteColor | paint(c)
	case ansi.IndexedColor:
		return paletteColor | paint(c)
	default:
		r, g, b, _ := c.RGBA()
		return trueColor | paint(r>>8)<<16 | paint(g>>8)<<8 | paint(b>>8)
	}
}

// appendSGR appends the sequence that changes the style from one to another. The
// sequence sets the style completely, so that a line can be cut anywhere.
func appendSGR(dst []byte, from, to style) []byte {
	if from == to {
		return dst
	}
	dst = append(dst, "\x1b["...)
	if from != (style{}) {
		dst = append(dst, '0', ';')
	}
	for i, code := range [...]byte{'1', '2', '3', '7', '9'} {
		if to.attrs&(1<<i) != 0 {
			dst = append(dst, code, ';')
		}
	}
	switch {
	case to.underline == 1:
		dst = append(dst, '4', ';')
	case to.underline > 1:
		dst = append(dst, '4', ':', '0'+to.underline, ';')
	}
	dst = appendPaint(dst, to.fg, 30)
	dst = appendPaint(dst, to.bg, 40)
	dst = appendPaint(dst, to.line, 50)
	dst[len(dst)-1] = 'm' // replaces the last semicolon
	return dst
}

// appendPaint appends the parameters of a colour; base is 30 for the text, 40 for the
// background, 50 for the underline, which has no short forms.
func appendPaint(dst []byte, c paint, base int64) []byte {
	if c == 0 {
		return dst
	}
	v := int64(c &^ kindMask)
	switch {
	case c&kindMask == paletteColor && v < 8 && base < 50:
		dst = strconv.AppendInt(dst, base+v, 10)
	case c&kindMask == paletteColor && v < 16 && base < 50:
		dst = strconv.AppendInt(dst, base+60+v-8, 10)
	case c&kindMask == paletteColor:
		dst = strconv.AppendInt(dst, base+8, 10)
		dst = append(dst, ";5;"...)
		dst = strconv.AppendInt(dst, v, 10)
	default:
		dst = strconv.AppendInt(dst, base+8, 10)
		dst = append(dst, ";2;"...)
		dst = strconv.AppendInt(dst, v>>16, 10)
		dst = append(dst, ';')
		dst = strconv.AppendInt(dst, v>>8&0xff, 10)
		dst = append(dst, ';')
		dst = strconv.AppendInt(dst, v&0xff, 10)
	}
	return append(dst, ';')
}
