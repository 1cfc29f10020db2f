package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/record"
)

func TestExport(t *testing.T) {
	c := conversation.New()
	c.Apply(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("make it fast")}})
	dir, format := t.TempDir(), ExportFormats[0]
	name := format.FileName("Fast: a plan!")
	if name != "fast-a-plan.md" || format.FileName("…") != "session.md" {
		t.Errorf("proposed %q", name)
	}
	e, err := NewExport(format, c, record.NewRedactor(nil), "A plan", "20260101-abc", filepath.Join(dir, name))
	must(t, err)
	if !e.Collect(time.Minute) || e.Path != filepath.Join(dir, name) {
		t.Fatalf("%+v", e)
	}
	must(t, e.Write(false))
	if err := e.Write(false); !errors.Is(err, os.ErrExist) {
		t.Errorf("a file was replaced: %v", err)
	}
	must(t, e.Write(true))
	if data, err := os.ReadFile(e.Path); err != nil || !strings.Contains(string(data), "make it fast") || !strings.Contains(string(data), "A plan") || !strings.Contains(string(data), "Session: 20260101-abc") {
		t.Errorf("%q, %v", data, err)
	}
	t.Setenv("HOME", "/home/me")
	if e, err := NewExport(format, c, record.NewRedactor(nil), "", "", "~/x.md"); err != nil || e.Path != "/home/me/x.md" {
		t.Errorf("%+v, %v", e, err)
	}
}
