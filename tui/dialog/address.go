package dialog

import (
	"net"
	"net/url"
	"strings"
	"unicode"

	"parley/internal/termtext"
)

// address is a URL that the agent wants opened, and what is known of it.
type address struct {
	raw string
	// host is as the agent wrote it, other its form with or without Punycode, or "".
	host, other string
	// opens means that parley opens it; otherwise why is the reason.
	opens bool
	why   string
	// warnings are for the person to read before opening it.
	warnings []string
}

// look examines a URL, without using the network.
func look(raw string) address {
	a := address{raw: raw}
	if termtext.Visible(raw) != raw || strings.ContainsAny(raw, "\n\\ ") {
		a.why = "it holds characters that do not belong in an address"
	}
	u, err := url.Parse(raw)
	if err != nil {
		a.why = "it is not an address that can be understood"
		return a
	}
	a.host = u.Hostname()
	other, valid := otherForm(a.host)
	a.other = other
	switch {
	case a.why != "":
	case u.Scheme != "https" && u.Scheme != "http":
		a.why = "parley opens http and https addresses only"
	case a.host == "":
		a.why = "it names no host"
	default:
		a.opens = true
	}
	if !valid {
		a.warnings = append(a.warnings, "The name of the host breaks the rules for names of hosts: it may not lead where it seems to.")
	}
	if a.other != "" || !isASCII(a.host) || strings.Contains(strings.ToLower(a.host), punyPrefix) {
		a.warnings = append(a.warnings, "The name of the host has letters of other alphabets: it may only look like one that you know.")
	}
	if u.User != nil {
		a.warnings = append(a.warnings, "What stands before the @ is a user name, not the host.")
	}
	if u.Scheme == "http" && !loopback(a.host) {
		a.warnings = append(a.warnings, "The connection is not encrypted (http): others may read and change what is sent.")
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

// draw draws the host on its own lines, then the warnings, then the complete address.
func (a *address) draw(p paper) []string {
	th := p.th
	var out []string
	row := func(label, value string, style func(...string) string) {
		column := 9
		if p.width < 2*column { // put the label above
			out = append(out, th.Muted.Render(cut(label, p.width)))
			column = 0
		}
		for i, l := range exact(termtext.Visible(value), p.width-column) {
			if i > 0 {
				label = ""
			}
			out = append(out, th.Muted.Render(pad(label, column))+style(l))
		}
	}
	if a.host != "" {
		row("host", a.host, th.Strong.Render)
	}
	if a.other != "" {
		row("that is", a.other, th.Strong.Render)
	}
	for _, w := range a.warnings {
		out = append(out, marked("!", w, p.width, th.Warning)...)
	}
	row("address", a.raw, th.Info.Render)
	if !a.opens {
		out = append(out, marked("✗", "parley does not open this: "+a.why+".", p.width, th.Error)...)
	}
	return out
}
