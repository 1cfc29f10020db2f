package app

import (
	"strings"

	"golang.org/x/net/idna"
)

const (
	// punyPrefix starts a label in Punycode.
	punyPrefix = "xn--"
	// maxHost bounds the host names to examine, in bytes: DNS allows 253, and converting
	// a label takes quadratic time.
	maxHost = 1024
)

// hostNames are the rules by which browsers look up host names (UTS #46). Underscores and
// hyphens anywhere violate the standard, but are in use.
var hostNames = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.VerifyDNSLength(true),
	idna.StrictDomainName(false), idna.CheckHyphens(false))

// otherForm returns the other form of a host name: Punycode for a name with other letters
// than ASCII, and the decoded name for Punycode; "" if there is none. valid is false for a
// name that breaks the rules of international names.
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

// hasPunycode reports whether a label of a lower-case host name is in Punycode.
func hasPunycode(host string) bool {
	return strings.HasPrefix(host, punyPrefix) || strings.Contains(host, "."+punyPrefix)
}
