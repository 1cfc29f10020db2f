package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/internal/registry"
)

// What npm distributes gets npm's version, without downloads of another one; what npm does
// not know stays.
func TestRaisesPackagesOfNPM(t *testing.T) {
	t.Parallel()
	npx := func(pkg string) registry.Distribution {
		return registry.Distribution{NPX: &registry.Package{Package: pkg, Args: []string{"--acp"}}}
	}
	both := npx("both@1.0.0")
	both.Binary = map[string]registry.Target{"linux-x86_64": {Archive: "https://example.com/1.0.0", Cmd: "both"}}
	binary := registry.Distribution{Binary: both.Binary}
	entries := []registry.Entry{
		{ID: "opencode", Version: "1.0.0", Distribution: binary},
		{ID: "binary", Version: "1.0.0", Distribution: binary},
		{ID: "same", Version: "2.0.0", Distribution: registry.Distribution{NPX: &registry.Package{Package: "same@2.0.0"}, Binary: both.Binary}},
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
		line := e.ID + " " + e.Version
		if e.Distribution.NPX != nil {
			line += " " + e.Distribution.NPX.Package
		}
		if e.Distribution.Binary != nil {
			line += " or a download"
		}
		got = append(got, line)
	}
	want := "opencode 2.0.0 opencode-ai@2.0.0, binary 1.0.0 or a download, same 2.0.0 same@2.0.0 or a download, " +
		"scoped 2.0.0 @a/scoped@2.0.0, bare 2.0.0 bare@2.0.0, gone 1.0.0 gone@1.0.0, both 2.0.0 both@2.0.0"
	if strings.Join(got, ", ") != want {
		t.Errorf("%q", got)
	}
	if all := strings.Join(told, "\n"); !strings.Contains(all, "gone 1.0.0 stays: no such package") || !strings.Contains(all, "binary 1.0.0 stays") || !strings.Contains(all, "the downloads of 2.0.0 cannot be checked") {
		t.Errorf("%q", told)
	}
}
