package remote

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley/acpclient"
)

// Roots are the paths of one directory on two machines. Paths on the other machine are
// Unix paths.
type Roots struct {
	// Local is absolute on this machine, Remote on the agent's.
	Local, Remote string
}

// Over returns a transport that translates the paths in messages: the agent gets its
// own paths, and messages from it have those of this machine. Paths outside of the
// roots stay as they are, and so do texts and fields that the protocol leaves to agents
// (rawInput, rawOutput, _meta).
func (r Roots) Over(t acpclient.Transport) acpclient.Transport { return rooted{t, r} }

type rooted struct {
	acpclient.Transport
	roots Roots
}

func (t rooted) Read() ([]byte, error) {
	message, err := t.Transport.Read()
	if err != nil {
		return nil, err
	}
	return turned(message, t.roots.toLocal), nil
}

func (t rooted) Write(message []byte) error {
	return t.Transport.Write(turned(message, t.roots.toRemote))
}

func (r Roots) toLocal(p string) (string, bool) {
	rest, ok := below(path.Clean(r.Remote), path.Clean(p))
	if !ok || !path.IsAbs(p) {
		return "", false
	}
	return filepath.Join(r.Local, filepath.FromSlash(rest)), true
}

func (r Roots) toRemote(p string) (string, bool) {
	rest, ok := below(filepath.ToSlash(filepath.Clean(r.Local)), filepath.ToSlash(filepath.Clean(p)))
	if !ok || !filepath.IsAbs(p) {
		return "", false
	}
	return path.Join(r.Remote, rest), true
}

// below returns the rest of a path below root; both are clean.
func below(root, p string) (rest string, ok bool) {
	if p == root {
		return "", true
	}
	return strings.CutPrefix(p, strings.TrimSuffix(root, "/")+"/")
}

// The fields of the protocol's messages that hold paths, and those to skip.
var (
	pathFields   = []string{"path", "cwd", "additionalDirectories", "oldPath", "newPath"}
	uriFields    = []string{"uri"}
	opaqueFields = []string{"rawInput", "rawOutput", "_meta"}
)

// turned returns a message with its paths translated. Everything else keeps every byte,
// including messages that are not JSON.
func turned(message []byte, turn func(string) (string, bool)) []byte {
	mentioned := func(field string) bool { return bytes.Contains(message, []byte(`"`+field+`"`)) }
	if !slices.ContainsFunc(pathFields, mentioned) && !slices.ContainsFunc(uriFields, mentioned) || !json.Valid(message) {
		return message
	}
	w := walk{in: message, turn: turn}
	w.value(bytes.TrimSpace(message), "")
	return append(w.out, message[w.copied:]...)
}

// walk copies a message with changes.
type walk struct {
	in     []byte
	turn   func(string) (string, bool)
	out    []byte
	copied int // how much of in is in out
}

// value handles a part of the message, the value of the given field. The items of an array
// belong to its field.
func (w *walk) value(raw []byte, field string) {
	switch raw[0] {
	case '{':
		for key, value := range acpclient.Members(raw) {
			if name := string(key); !slices.Contains(opaqueFields, name) {
				w.value(value, name)
			}
		}
	case '[':
		for item := range acpclient.Elements(raw) {
			w.value(item, field)
		}
	case '"':
		var text string
		_ = json.Unmarshal(raw, &text)
		if text, ok := w.turnedText(field, text); ok {
			begin := cap(w.in) - cap(raw) // of a part of in
			w.out = append(append(w.out, w.in[w.copied:begin]...), text...)
			w.copied = begin + len(raw)
		}
	}
}

// turnedText returns the JSON of a translated text, if it is a path to translate.
func (w *walk) turnedText(field, text string) ([]byte, bool) {
	var ok bool
	switch {
	case slices.Contains(pathFields, field):
		text, ok = w.turn(text)
	case slices.Contains(uriFields, field):
		text, ok = w.turnedURI(text)
	}
	if !ok {
		return nil, false
	}
	quoted, err := json.Marshal(text)
	return quoted, err == nil
}

func (w *walk) turnedURI(text string) (string, bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return "", false
	}
	p, ok := w.turn(u.Path)
	if !ok {
		return "", false
	}
	u.Path, u.RawPath = filepath.ToSlash(p), ""
	return u.String(), true
}
