package termtext

import (
	"strings"
	"testing"
)

func TestIndented(t *testing.T) {
	for raw, want := range map[string]string{
		`{"a":[1,{"b":"[[[\"{{"}]}`: "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"[[[\\\"{{\"\n    }\n  ]\n}",
		`{"a":`:                     "",
		"noise":                     "",
		// A few kilobytes that would be gigabytes.
		strings.Repeat("[", 9000) + strings.Repeat("1,", 100_000) + "1" + strings.Repeat("]", 9000): "",
	} {
		got, ok := Indented([]byte(raw))
		if ok != (want != "") || ok && string(got) != want {
			t.Errorf("%.50s: %v %.200s", raw, ok, got)
		}
	}
	many := "[" + strings.Repeat(`{"a":{"b":[1,2,3]}},`, 10_000) + "1]"
	if _, ok := Indented([]byte(many)); !ok {
		t.Error("what is long and not deep is not set out")
	}
}
