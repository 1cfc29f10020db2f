package dialog

import (
	"strings"

	"golang.org/x/net/idna"
)

const (
	// punyPrefix begins a label that stands for one with other letters than ASCII.
	punyPrefix = "xn--"
	// maxHost bounds the host's names that are looked at, in bytes: DNS knows 253,
	// and it costs the square of a label's length to put it into another form.
	maxHost = 1024
)

// hostNames are the rules by which browsers look up the name of a host (UTS #46).
// Underscores and hyphens anywhere are against the letter of the standard, and in
// use all the same.
var hostNames = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.VerifyDNSLength(true),
	idna.StrictDomainName(false), idna.CheckHyphens(false))

// otherForm is the form of a host's name that it has beside this one: of a name
// with letters other than ASCII the one that is looked up, of one in Punycode the
// one that is meant; "" if there is none. valid is false for a name that breaks
// the rules of international names: its other form then is that of its characters
// as they are.
func otherForm(host string) (other string, valid bool) {
	if len(host) > maxHost {
		return "", false
	}
	if !isASCII(host) {
		ascii, err := hostNames.ToASCII(host)
		if err != nil {
			ascii, _ = idna.Punycode.ToASCII(strings.ToLower(host))
		}
		return ascii, err == nil
	}
	lower := strings.ToLower(host)
	if !hasPunycode(lower) {
		return "", true
	}
	_, err := hostNames.ToASCII(lower)
	decoded, _ := idna.Punycode.ToUnicode(lower) // an invalid label stays as it is
	if decoded == lower {
		decoded = ""
	}
	return decoded, err == nil
}

// hasPunycode says whether a label of a host's name, in small letters, is in
// Punycode.
func hasPunycode(host string) bool {
	return strings.HasPrefix(host, punyPrefix) || strings.Contains(host, "."+punyPrefix)
}
