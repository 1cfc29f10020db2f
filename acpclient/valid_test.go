package acpclient

import (
	"encoding/json"
	"strings"
	"testing"
)

// jsonSeeds are JSON and nearly JSON, with what is special at every offset of eight bytes.
func jsonSeeds() []string {
	seeds := []string{
		"", " ", "null", "nul", "nullx", "true", "false", "-", "-0", "01", "1.", "1.5", ".5", "1e", "1e+", "1E-7", "-12e3 ", "+1",
		"{}", "[]", "{]", "[}", "[ ]", "{ }", "[1,]", "[,1]", "[1 2]", `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1 "b":2}`, `{1:2}`, `{"a":1}}`, `{"a":[{"b":null},[]],"c":"d"}`,
		`"\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d"`, `"\ud83dx"`, `"\ud83d\n"`, `"\ud83d\u0041"`, `"\uD83D\uD83D\uDE00"`, `"\u00"`, `"\u00g0"`, `"\u`, `"\u003c\u003E\u0026"`, `"\\u0041"`, `"\x"`, `"\`, `"`,
		"\"\xff\"", "\"\xed\xa0\x80\"", "\"\xff\\u003c\"", "\"\x80\x81\x82\x83\x84\x85\x86\x87\\n\"", `"héllo wörld"`, "\"\u2028\x7f\"", "\ufeff{}",
		strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth), strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1),
		strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100),
	}
	for i := range 18 {
		for _, s := range []string{`\n`, `\u003c`, "\x1f", "\x00", "\n", "é", "\xa0", "!", "#", "[", "]"} {
			seeds = append(seeds, `"`+strings.Repeat("x", i)+s+`yz"`)
		}
	}
	return seeds
}

// FuzzValid checks that what is taken as JSON, and what a string says, is what encoding/json
// takes and says.
func FuzzValid(f *testing.F) {
	for _, s := range jsonSeeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := valid(b), json.Valid(b); got != want {
			t.Fatalf("valid is %v, want %v: %q", got, want, b)
		}
		var want string
		if len(b) == 0 || b[0] != '"' || b[len(b)-1] != '"' || json.Unmarshal(b, &want) != nil {
			return
		}
		if got, err := decodeString(b); err != nil || got != want {
			t.Fatalf("%q is %q, %v, want %q", b, got, err, want)
		}
	})
}
