package app

import (
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"parley/internal/remote"
	"parley/internal/termtext"
)

// Address is a URL that the agent wants opened, with what parley knows about it. Its texts are
// untrusted.
type Address struct {
	URL string
	// Host is the host as the agent wrote it, Other its form with or without Punycode, or "".
	Host, Other string
	// Opens means that parley is willing to open it; otherwise Why is the reason.
	Opens bool
	Why   string
	// Warnings are for the user to read before opening it.
	Warnings []string
}

// ExamineURL examines a URL, without using the network.
func ExamineURL(raw string) Address {
	a := Address{URL: raw}
	if termtext.Visible(raw) != raw || strings.ContainsAny(raw, "\n\\ ") {
		a.Why = "it has characters that no URL may have"
	}
	u, err := url.Parse(raw)
	if err != nil {
		a.Why = "it is not a valid URL"
		return a
	}
	a.Host = u.Hostname()
	other, valid := otherForm(a.Host)
	a.Other = other
	switch {
	case a.Why != "":
	case u.Scheme != "https" && u.Scheme != "http":
		a.Why = "parley opens only http and https"
	case a.Host == "":
		a.Why = "it has no host"
	default:
		a.Opens = true
	}
	if !valid {
		a.Warnings = append(a.Warnings, "The host name is invalid: it may lead elsewhere.")
	}
	if a.Other != "" || !isASCII(a.Host) || strings.Contains(strings.ToLower(a.Host), punyPrefix) {
		a.Warnings = append(a.Warnings, "The host name mixes alphabets: it may imitate one that you know.")
	}
	if u.User != nil {
		a.Warnings = append(a.Warnings, "The part before @ is a user name, not the host.")
	}
	if u.Scheme == "http" && !remote.Loopback(a.Host) {
		a.Warnings = append(a.Warnings, "Not encrypted (http): others may read and change it.")
	}
	return a
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

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

// otherForm returns the other form of a host name: Punycode for a name beyond ASCII, and the
// decoded name for Punycode; "" if there is none. valid is false for a name that breaks the
// rules for international names.
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
	if !strings.HasPrefix(lower, punyPrefix) && !strings.Contains(lower, "."+punyPrefix) {
		return "", true
	}
	_, err := hostNames.ToASCII(lower)
	decoded, _ := idna.Punycode.ToUnicode(lower) // an invalid label stays unchanged
	if decoded == lower {
		decoded = ""
	}
	return decoded, err == nil
}

// Asked returns the agent's request as lines of text: its message, the URL and the warnings.
func (a Address) Asked(message string) string {
	lines := []string{"The agent asks you to open a URL."}
	if said := strings.TrimSpace(message); said != "" {
		lines = append(lines, "It says: "+termtext.Block(said))
	}
	lines = append(lines, "Host: "+termtext.Visible(a.Host))
	if a.Other != "" {
		lines = append(lines, "That is: "+termtext.Visible(a.Other))
	}
	lines = append(lines, a.Warnings...)
	lines = append(lines, "Address: "+termtext.Visible(a.URL))
	if !a.Opens {
		lines = append(lines, "It cannot be opened from here: "+a.Why)
	}
	return strings.Join(lines, "\n")
}
