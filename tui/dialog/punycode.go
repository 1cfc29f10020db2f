package dialog

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The parameters of Punycode (RFC 3492, section 5).
const (
	punyBase, punyMin, punyMax       = 36, 1, 26
	punySkew, punyDamp               = 38, 700
	punyBias, punyStart        int32 = 72, 128
	punyPrefix                       = "xn--"
	// maxLabel is the longest label that DNS knows; no longer one is decoded.
	maxLabel = 63
)

// otherForm is a host name with its labels decoded from Punycode, or, if there
// are none, encoded in it; "" if it has no other form.
func otherForm(host string) string {
	labels := strings.Split(host, ".")
	decoded, encoded := slices.Clone(labels), slices.Clone(labels)
	for i, l := range labels {
		if len(l) > len(punyPrefix) && strings.EqualFold(l[:len(punyPrefix)], punyPrefix) {
			if s, ok := punyDecode(l[len(punyPrefix):]); ok {
				decoded[i] = s
			}
		}
		if !isASCII(l) {
			encoded[i] = punyPrefix + punyEncode(strings.ToLower(l))
		}
	}
	for _, other := range [][]string{decoded, encoded} {
		if !slices.Equal(other, labels) {
			return strings.Join(other, ".")
		}
	}
	return ""
}

func punyDecode(s string) (string, bool) {
	if len(s) > maxLabel || !isASCII(s) {
		return "", false
	}
	var out []rune
	if i := strings.LastIndexByte(s, '-'); i >= 0 {
		out, s = []rune(s[:i]), s[i+1:]
	}
	n, i, bias := punyStart, int32(0), punyBias
	for s != "" {
		old, w := i, int32(1)
		for k := int32(punyBase); ; k += punyBase {
			if s == "" {
				return "", false
			}
			d, ok := punyDigit(s[0])
			s = s[1:]
			if !ok || d > (1<<31-1-i)/w {
				return "", false
			}
			i += d * w
			t := min(max(k-bias, punyMin), punyMax)
			if d < t {
				break
			}
			if w > (1<<31-1)/(punyBase-t) {
				return "", false
			}
			w *= punyBase - t
		}
		size := int32(len(out) + 1)
		bias = punyAdapt(i-old, size, old == 0)
		if i/size > utf8.MaxRune-n {
			return "", false
		}
		n += i / size
		i %= size
		out = slices.Insert(out, int(i), rune(n))
		i++
	}
	return string(out), true
}

func punyEncode(s string) string {
	var out []byte
	runes := []rune(s)
	for _, r := range runes {
		if r < rune(punyStart) {
			out = append(out, byte(r))
		}
	}
	basic := int32(len(out))
	if basic > 0 {
		out = append(out, '-')
	}
	n, delta, bias, done := punyStart, int32(0), punyBias, basic
	for int(done) < len(runes) && len(runes) <= maxLabel {
		next := rune(utf8.MaxRune)
		for _, r := range runes {
			if r >= rune(n) {
				next = min(next, r)
			}
		}
		delta += (int32(next) - n) * (done + 1)
		n = int32(next)
		for _, r := range runes {
			if r < next {
				delta++
			}
			if r != next {
				continue
			}
			q := delta
			for k := int32(punyBase); ; k += punyBase {
				t := min(max(k-bias, punyMin), punyMax)
				if q < t {
					break
				}
				out = append(out, punyLetter(t+(q-t)%(punyBase-t)))
				q = (q - t) / (punyBase - t)
			}
			out = append(out, punyLetter(q))
			bias = punyAdapt(delta, done+1, done == basic)
			delta = 0
			done++
		}
		delta++
		n++
	}
	return string(out)
}

func punyAdapt(delta, size int32, first bool) int32 {
	if first {
		delta /= punyDamp
	} else {
		delta /= 2
	}
	delta += delta / size
	k := int32(0)
	for delta > (punyBase-punyMin)*punyMax/2 {
		delta /= punyBase - punyMin
		k += punyBase
	}
	return k + (punyBase-punyMin+1)*delta/(delta+punySkew)
}

func punyDigit(c byte) (int32, bool) {
	switch {
	case c >= 'a' && c <= 'z':
		return int32(c - 'a'), true
	case c >= 'A' && c <= 'Z':
		return int32(c - 'A'), true
	case c >= '0' && c <= '9':
		return int32(c-'0') + 26, true
	}
	return 0, false
}

func punyLetter(d int32) byte { return "abcdefghijklmnopqrstuvwxyz0123456789"[d] }
