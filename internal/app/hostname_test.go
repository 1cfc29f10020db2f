package app

import (
	"strings"
	"testing"
)

func TestPunycode(t *testing.T) {
	for _, tt := range []struct{ unicode, puny string }{
		{"bücher.de", "xn--bcher-kva.de"},
		{"аррӏе.com", "xn--80ak6aa92e.com"},
		{"他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"},
		{"3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"},
		{"mañana.example.ñ", "xn--maana-pta.example.xn--ida"},
	} {
		if got, valid := otherForm(tt.unicode); got != tt.puny || !valid {
			t.Errorf("%s is %s (valid: %t), want %s", tt.unicode, got, valid, tt.puny)
		}
		if got, valid := otherForm(tt.puny); got != tt.unicode || !valid {
			t.Errorf("%s is %s (valid: %t), want %s", tt.puny, got, valid, tt.unicode)
		}
	}
	for _, same := range []string{"example.com", "", "xn--", "xn--99999999999", "xn--" + strings.Repeat("a", 80)} {
		if got, _ := otherForm(same); got != "" && strings.HasPrefix(got, punyPrefix) {
			t.Errorf("%s is %s", same, got)
		}
	}
}

// What is shown as the other form of a host is what a browser looks up.
func TestHostsAreLookedUpAsBrowsersDo(t *testing.T) {
	for host, want := range map[string]string{
		"BÜCHER.de":               "xn--bcher-kva.de",
		"p\u0430ypal.example":     "xn--pypal-4ve.example", // one letter is Cyrillic
		"XN--PYPAL-4VE.example":   "p\u0430ypal.example",
		"faß.de":                  "xn--fa-hia.de",
		"\uff47oogle\u3002com":    "google.com", // a wide letter and a wide stop
		"b\u00fc_cher.example":    "xn--b_cher-3ya.example",
		"r3---s\u00fc.example":    "xn--r3---s-8ya.example",
		"\u05d0\u05d1.example":    "xn--4dbc.example",
		"www.xn--4dbc.example":    "www.\u05d0\u05d1.example",
		"u\u0308ber.example":      "xn--ber-goa.example", // a combining mark
		"example.com":             "",
		"r3---sn-apo3qvu.example": "",
		"axn--b.example":          "",
	} {
		if got, valid := otherForm(host); got != want || !valid {
			t.Errorf("%s is %q (valid: %t), want %q", host, got, valid, want)
		}
	}
}

func TestHostsThatCannotBe(t *testing.T) {
	for name, host := range map[string]string{
		"Punycode that is none":             "www.xn--99999999999.example",
		"Punycode without letters":          "xn--.example",
		"Punycode of plain letters":         "xn--google-.com",
		"Punycode of capital letters":       "xn--bcher-2pa.de",
		"a label that is too long":          strings.Repeat("\u00fc", 60) + ".example",
		"a label that is too long, encoded": "xn--" + strings.Repeat("a", 80),
		"directions mixed in a label":       "\u05d0b.example",
		"directions mixed, encoded":         "xn--b-zhc.example",
		"a number in front":                 "1\u05d0.example",
		"a joiner out of place":             "a\u200db.example",
		"nothing between dots":              "\u00fc..example",
		"a name far too long":               strings.Repeat("\u00fc.", 100000),
	} {
		t.Run(name, func(t *testing.T) {
			if _, valid := otherForm(host); valid {
				t.Fatal("taken for valid")
			}
			if a := ExamineURL("https://" + host + "/"); a.Host == host && len(a.Warnings) < 2 {
				t.Errorf("only warned of %q", a.Warnings)
			}
		})
	}
}

func FuzzPunycode(f *testing.F) {
	f.Add("bücher.de")
	f.Add("xn--bcher-kva.de")
	f.Fuzz(func(t *testing.T, host string) {
		ExamineURL("https://" + host + "/")
		if other, valid := otherForm(host); valid && !isASCII(host) && !isASCII(other) {
			t.Errorf("%q is looked up as %q", host, other)
		}
	})
}
