package remote

import (
	"bytes"
	"encoding/json"
	"errors"
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
	if !slices.ContainsFunc(pathFields, mentioned) && !slices.ContainsFunc(uriFields, mentioned) {
		return message
	}
	w := walk{d: json.NewDecoder(bytes.NewReader(message)), in: message, turn: turn}
	if err := w.value(""); err != nil {
		return message
	}
	return append(w.out, message[w.copied:]...)
}

// walk parses a message and copies it with changes.
type walk struct {
	d      *json.Decoder
	in     []byte
	turn   func(string) (string, bool)
	out    []byte
	copied int // how much of in is in out
	depth  int
}

// maxDepth limits the nesting of a message, far above that of any message of the
// protocol.
const maxDepth = 1000

var errDeep = errors.New("the message is nested too deep")

// value handles the next value, the value of the given field.
func (w *walk) value(field string) error {
	before := int(w.d.InputOffset())
	token, err := w.d.Token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case json.Delim:
		return w.inside(token, field)
	case string:
		if text, ok := w.turnedText(field, token); ok {
			begin := before + bytes.IndexByte(w.in[before:], '"')
			w.out = append(append(w.out, w.in[w.copied:begin]...), text...)
			w.copied = int(w.d.InputOffset())
		}
	}
	return nil
}

// inside handles an open object or array up to its end.
func (w *walk) inside(open json.Delim, field string) error {
	if w.depth++; w.depth > maxDepth {
		return errDeep
	}
	defer func() { w.depth-- }()
	for w.d.More() {
		name := field // the items of an array belong to its field
		if open == '{' {
			key, err := w.d.Token()
			if err != nil {
				return err
			}
			name, _ = key.(string)
		}
		if slices.Contains(opaqueFields, name) {
			var skipped json.RawMessage
			if err := w.d.Decode(&skipped); err != nil {
				return err
			}
			continue
		}
		if err := w.value(name); err != nil {
			return err
		}
	}
	_, err := w.d.Token()
	return err
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
