package termtext

import (
	"unicode"
	"unicode/utf8"
)

// hidden reports whether the character r, between prev and rest, draws nothing or
// reorders other characters, so that text would look different from what it is. It
// excludes legitimate uses: joiners in emoji and in scripts that need them, the tags of
// a flag, the variant of an ideograph.
func hidden(prev, r rune, rest string) bool {
	switch {
	case r < 0xad:
		return r >= 0x7f && r < 0xa0
	case r < 0x300:
		return r == 0xad
	case r == 0x200c || r == 0x200d:
		return !joins(prev, r, rest)
	case r >= 0xe0020 && r <= 0xe007f:
		return !inFlag(prev, r, rest)
	case r >= 0xe0100 && r <= 0xe01ef:
		return !unicode.Is(unicode.Han, prev)
	}
	for _, span := range hiddenSpans {
		if r <= span[1] {
			return r >= span[0]
		}
	}
	return false
}

// hiddenSpans lists the characters from U+0300 on that never draw anything, in order,
// without the marks of writing systems.
var hiddenSpans = [][2]rune{
	{0x34f, 0x34f},
	{0x61c, 0x61c},
	{0x115f, 0x1160},
	{0x17b4, 0x17b5},
	{0x180e, 0x180e},
	{0x200b, 0x200f},
	{0x2028, 0x202e},
	{0x2060, 0x206f},
	{0x3164, 0x3164},
	{0xfeff, 0xfeff},
	{0xffa0, 0xffa0},
	{0xfff0, 0xfffb},
	{0x1bca0, 0x1bca3},
	{0x1d173, 0x1d17a},
	{0xe0000, 0xe0fff},
}

// joins reports whether a joiner belongs to its context.
func joins(prev, r rune, rest string) bool {
	if unicode.In(prev, joiningScripts...) {
		return true
	}
	if r != 0x200d || !pictogram(prev) && prev != 0xfe0f {
		return false
	}
	if rest == "" {
		return true // the rest may still arrive
	}
	next, _ := utf8.DecodeRuneInString(rest)
	return pictogram(next)
}

// joiningScripts are scripts in which a joiner changes how the letters around it look.
var joiningScripts = []*unicode.RangeTable{
	unicode.Adlam, unicode.Arabic, unicode.Balinese, unicode.Bengali, unicode.Brahmi, unicode.Chakma, unicode.Devanagari, unicode.Grantha,
	unicode.Gujarati, unicode.Gurmukhi, unicode.Hanifi_Rohingya, unicode.Javanese, unicode.Kannada, unicode.Khmer, unicode.Malayalam,
	unicode.Mandaic, unicode.Manichaean, unicode.Mongolian, unicode.Myanmar, unicode.Nko, unicode.Oriya, unicode.Phags_Pa,
	unicode.Sinhala, unicode.Syriac, unicode.Tai_Tham, unicode.Tamil, unicode.Telugu, unicode.Tibetan,
}

// pictogram reports whether r is a part of emoji.
func pictogram(r rune) bool {
	return r >= 0x1f000 && r <= 0x1faff || r >= 0x2190 && r <= 0x2bff && unicode.In(r, unicode.So, unicode.Sm)
}

const (
	blackFlag = 0x1f3f4
	endOfTags = 0xe007f
	// maxTags is the length of a region flag in tags, including the end tag.
	maxTags = 7
)

// inFlag reports whether a tag belongs to the flag of a region: letters and digits
// after a black flag, and the end tag.
func inFlag(prev, r rune, rest string) bool {
	if r == endOfTags {
		return prev > 0xe0020 && prev < endOfTags
	}
	if prev != blackFlag && (prev <= 0xe0020 || prev >= endOfTags) {
		return false
	}
	for range maxTags - 1 {
		next, n := utf8.DecodeRuneInString(rest)
		if next == endOfTags {
			return true
		}
		if next <= 0xe0020 || next > endOfTags {
			return false
		}
		rest = rest[n:]
	}
	return false
}
