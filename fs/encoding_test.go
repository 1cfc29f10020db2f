package fs

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestUTF16(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		encoding         Encoding
	}{
		{"little-endian", "\xff\xfea\x00\n\x00", "a\n", UTF16LE},
		{"big-endian", "\xfe\xff\x00a\x00\n", "a\n", UTF16BE},
		{"a pair of surrogates", "\xff\xfe\x3c\xd8\x0d\xdf", "🌍", UTF16LE},
		{"nothing but the mark", "\xfe\xff", "", UTF16BE},
		{"a mark within", "\xff\xfea\x00\xff\xfe", "a\ufeff", UTF16LE},
		{"UTF-8 with a mark", "\ufeffa\n", "a\n", UTF8BOM},
		{"U+FFFD itself", "\xfe\xff\xff\xfd", "\ufffd", UTF16BE},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, dir := newFS(t)
			path := put(t, filepath.Join(dir, "file"), c.file)
			p, err := f.Find(path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.Read(t.Context(), p, nil, nil)
			if err != nil || got.Text != c.text || got.Encoding != c.encoding {
				t.Fatalf("read = %q in %v, %v", got.Text, got.Encoding, err)
			}
			change, err := f.Write(t.Context(), p, c.text, &got.Version)
			if err != nil || *change.Before != c.text || change.Encoding != c.encoding || content(t, path) != c.file {
				t.Errorf("written back it is %q, %v", content(t, path), err)
			}
			change, err = f.Write(t.Context(), p, "\ufeffnew", nil)
			if err != nil || change.After != "new" {
				t.Errorf("write = %+v, %v", change, err)
			}
			if got, err := f.Read(t.Context(), p, nil, nil); err != nil || got.Text != "new" || !got.Version.Same(change.Version) {
				t.Errorf("a mark of the agent's is doubled: %q, %v", got.Text, err)
			}
		})
	}
}

func TestUTF16Lines(t *testing.T) {
	f, dir := newFS(t)
	path := put(t, filepath.Join(dir, "file"), string(UTF16BE.encode("one\r\ntwo\nthrēē\n")))
	line, limit := 2, 1
	if got, err := f.ReadTextFile(t.Context(), path, &line, &limit); err != nil || got != "two\n" {
		t.Errorf("read = %q, %v", got, err)
	}
}

func TestInvalidUTF16(t *testing.T) {
	f, dir := newFS(t)
	for name, file := range map[string]string{
		"half a character":      "\xff\xfea",
		"a lone high surrogate": "\xff\xfe\x3c\xd8",
		"a lone low surrogate":  "\xff\xfe\x0d\xdfa\x00",
		"two high surrogates":   "\xfe\xff\xd8\x3c\xd8\x3c",
		"UTF-32":                "\xff\xfe\x00\x00a\x00\x00\x00",
	} {
		path := put(t, filepath.Join(dir, "file"), file)
		line := 1
		for _, from := range []*int{nil, &line} {
			if got, err := f.ReadTextFile(t.Context(), path, from, nil); !errors.Is(err, ErrNotText) || got != "" {
				t.Errorf("%s: read = %q, %v", name, got, err)
			}
		}
		if c, err := f.WriteTextFile(t.Context(), path, "new"); err != nil {
			t.Errorf("%s: write = %v", name, err)
		} else if name != "UTF-32" && (c.Encoding != UTF8 || *c.Before != file || content(t, path) != "new") {
			t.Errorf("%s: what was no text became %q of %v", name, content(t, path), c.Encoding)
		}
	}
}

// What is decoded is written back byte for byte, and what cannot be is refused.
func FuzzUTF16(f *testing.F) {
	f.Add([]byte("a\x00"))
	f.Add([]byte("\x3c\xd8\x0d\xdf"))
	f.Add([]byte("\x3c\xd8"))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
			file := mark + string(body)
			encoding := encodingOf(file)
			text, err := encoding.decode(file)
			if err != nil {
				continue
			}
			if again := string(encoding.encode(text)); again != file || !utf8.ValidString(text) {
				t.Errorf("%q becomes %q and then %q", file, text, again)
			}
		}
		if text := strings.ToValidUTF8(string(body), ""); text != "" {
			if again, err := UTF16LE.decode(string(UTF16LE.encode(text))); err != nil || again != text {
				t.Errorf("%q becomes %q, %v", text, again, err)
			}
		}
	})
}
