package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/internal/registry"
)

// Only what npm alone distributes gets npm's version; what npm does not know stays.
func TestRaisesPackagesOfNPM(t *testing.T) {
	t.Parallel()
	npx := func(pkg string) registry.Distribution {
		return registry.Distribution{NPX: &registry.Package{Package: pkg, Args: []string{"--acp"}}}
	}
	both := npx("both@1.0.0")
	both.Binary = map[string]registry.Target{"linux-x86_64": {Archive: "https://example.com/1.0.0", Cmd: "both"}}
	entries := []registry.Entry{
		{ID: "scoped", Version: "1.0.0", Distribution: npx("@a/scoped@1.0.0")},
		{ID: "bare", Version: "1.0.0", Distribution: npx("bare")},
		{ID: "gone", Version: "1.0.0", Distribution: npx("gone@1.0.0")},
		{ID: "both", Version: "1.0.0", Distribution: both},
	}
	var told []string
	raiseNPM(entries, func(pkg string) (string, error) {
		if pkg == "gone" {
			return "", errors.New("no such package")
		}
		return "2.0.0", nil
	}, func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) })
	var got []string
	for _, e := range entries {
		got = append(got, e.ID+" "+e.Version+" "+e.Distribution.NPX.Package)
	}
	want := "scoped 2.0.0 @a/scoped@2.0.0, bare 2.0.0 bare@2.0.0, gone 1.0.0 gone@1.0.0, both 1.0.0 both@1.0.0"
	if strings.Join(got, ", ") != want {
		t.Errorf("%q", got)
	}
	if len(told) != 4 || !strings.Contains(told[2], "gone 1.0.0 stays: no such package") {
		t.Errorf("%q", told)
	}
}
