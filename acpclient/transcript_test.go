package acpclient

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recorded is a line of a recorded conversation with a real agent.
type recorded struct {
	From    string          `json:"from"`
	Message json.RawMessage `json:"message"`
}

// transcripts are conversations with real agents, by file name.
func transcripts(t testing.TB) map[string][]recorded {
	t.Helper()
	files, err := filepath.Glob("../internal/test/realagents/testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	all := map[string][]recorded{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for dec := json.NewDecoder(f); dec.More(); {
			var r recorded
			if err := dec.Decode(&r); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all[filepath.Base(name)] = append(all[filepath.Base(name)], r)
		}
		_ = f.Close()
	}
	return all
}

// Everything that real agents said is understood, and encoded again it says the
// same.
func TestTranscripts(t *testing.T) {
	types := map[string]typedMethod{}
	for _, m := range slices.Concat(typedMethods, unstableMethods) {
		types[m.name] = m
	}
	for name, lines := range transcripts(t) {
		t.Run(name, func(t *testing.T) {
			asked := map[string]string{} // methods of the client's requests by id
			for _, line := range lines {
				var m message
				if err := json.Unmarshal(line.Message, &m); err != nil {
					t.Fatal(err)
				}
				switch {
				case line.From == "client":
					if m.Method != "" {
						asked[string(m.ID)] = m.Method
					}
				case m.Method != "" && types[m.Method].params != nil:
					checkUnderstood(t, m.Method, m.Params, types[m.Method].params)
				case m.Method == "" && m.Error == nil:
					if answered, ok := types[asked[string(m.ID)]]; ok {
						checkUnderstood(t, answered.name, m.Result, answered.result)
					}
				}
			}
		})
	}
}

func checkUnderstood(t *testing.T, method string, raw json.RawMessage, typ reflect.Type) {
	t.Helper()
	v := reflect.New(typ).Interface()
	if err := Unmarshal(raw, v); err != nil {
		t.Errorf("%s: %v\n%s", method, err, raw)
		return
	}
	if n, ok := v.(*SessionNotification); ok {
		if u, unknown := n.Update.(*UnknownUpdate); unknown {
			t.Errorf("unknown update %s", u.Raw)
		}
	}
	again, err := marshal(v)
	if err != nil {
		t.Errorf("%s: %v", method, err)
		return
	}
	if diff := cmp.Diff(essence(t, raw), essence(t, again)); diff != "" {
		t.Errorf("%s (-said +understood):\n%s", method, diff)
	}
}
