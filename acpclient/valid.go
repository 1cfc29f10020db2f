package acpclient

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth is how deep arrays and objects may be nested, as in encoding/json.
const maxDepth = 10_000

// valid is json.Valid in a fraction of its time: every byte that an agent writes passes it,
// and most are inside of strings, which it checks eight bytes at a time.
func valid(b []byte) bool {
	var room [64]byte
	open := room[:0] // the brackets that are open
	at := blankEnd(b, 0)
	for {
		// A value begins here.
		if at == len(b) {
			return false
		}
		switch c := b[at]; c {
		case '{', '[':
			if len(open) == maxDepth {
				return false
			}
			if at = blankEnd(b, at+1); at == len(b) {
				return false
			}
			if b[at] == c+2 { // both closing brackets are two behind the opening ones
				at++
				break
			}
			open = append(open, c)
			if c == '{' {
				if at = keyEnd(b, at); at < 0 {
					return false
				}
			}
			continue
		case '"':
			at = validString(b, at)
		case 't':
			at = validWord(b, at, "true")
		case 'f':
			at = validWord(b, at, "false")
		case 'n':
			at = validWord(b, at, "null")
		default:
			at = validNumber(b, at)
		}
		// A value ends here.
		for {
			if at < 0 {
				return false
			}
			at = blankEnd(b, at)
			if len(open) == 0 {
				return at == len(b)
			}
			if at == len(b) {
				return false
			}
			in := open[len(open)-1]
			if b[at] == in+2 {
				open = open[:len(open)-1]
				at++
				continue
			}
			if b[at] != ',' {
				return false
			}
			at = blankEnd(b, at+1)
			if in == '{' {
				if at = keyEnd(b, at); at < 0 {
					return false
				}
			}
			break
		}
	}
}

// The functions below return the offset behind what begins at an offset, negative if it is
// not what it should be.

func blankEnd(b []byte, at int) int {
	for at < len(b) && isSpace(b[at]) {
		at++
	}
	return at
}

// keyEnd returns the offset of the value behind a key.
func keyEnd(b []byte, at int) int {
	if at == len(b) || b[at] != '"' {
		return -1
	}
	if at = validString(b, at); at < 0 {
		return -1
	}
	if at = blankEnd(b, at); at == len(b) || b[at] != ':' {
		return -1
	}
	return blankEnd(b, at+1)
}

func validWord(b []byte, at int, word string) int {
	if end := at + len(word); end <= len(b) && string(b[at:end]) == word {
		return end
	}
	return -1
}

func validString(b []byte, at int) int {
	for at++; ; {
		at = plainEnd(b, at)
		if at == len(b) || b[at] < ' ' {
			return -1
		}
		if b[at] == '"' {
			return at + 1
		}
		if at++; at == len(b) { // behind a backslash
			return -1
		}
		switch b[at] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			at++
		case 'u':
			if _, ok := hex4(b[at+1:]); !ok {
				return -1
			}
			at += 5
		default:
			return -1
		}
	}
}

// plainEnd returns the offset of the next quote, backslash or control character.
func plainEnd(b []byte, at int) int {
	const ones = 0x0101010101010101
	for ; at+8 <= len(b); at += 8 {
		// The high bit of a byte of each term says: it is less than a space, a quote, a
		// backslash. The lowest that is set is always right.
		x := binary.LittleEndian.Uint64(b[at:])
		quote, slash := x^ones*'"', x^ones*'\\'
		found := ((x-ones*' ')&^x | (quote-ones)&^quote | (slash-ones)&^slash) & (ones << 7)
		if found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for at < len(b) && b[at] >= ' ' && b[at] != '"' && b[at] != '\\' {
		at++
	}
	return at
}

// hex4 returns the number that b begins with in four hexadecimal digits.
func hex4(b []byte) (n rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		n = n<<4 | rune(c)
	}
	return n, true
}

func validNumber(b []byte, at int) int {
	if at < len(b) && b[at] == '-' {
		at++
	}
	if at < len(b) && b[at] == '0' {
		at++
	} else if at = digitsEnd(b, at); at < 0 {
		return -1
	}
	if at < len(b) && b[at] == '.' {
		if at = digitsEnd(b, at+1); at < 0 {
			return -1
		}
	}
	if at < len(b) && (b[at] == 'e' || b[at] == 'E') {
		if at++; at < len(b) && (b[at] == '+' || b[at] == '-') {
			at++
		}
		return digitsEnd(b, at)
	}
	return at
}

// digitsEnd returns the end of one digit or more.
func digitsEnd(b []byte, at int) int {
	from := at
	for at < len(b) && b[at] >= '0' && b[at] <= '9' {
		at++
	}
	if at == from {
		return -1
	}
	return at
}
