package app

import (
	"net"
	"net/url"
	"strings"
	"unicode"

	"parley/internal/termtext"
)

// Address is a URL that the agent wants opened, and what is known of it. Its texts are
// foreign.
type Address struct {
	URL string
	// Host is as the agent wrote it, Other its form with or without Punycode, or "".
	Host, Other string
	// Opens means that parley opens it; otherwise Why is the reason.
	Opens bool
	Why   string
	// Warnings are for the person to read before opening it.
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
	if u.Scheme == "http" && !loopback(a.Host) {
		a.Warnings = append(a.Warnings, "Not encrypted (http): others may read and change it.")
	}
	return a
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
