package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestSecretsNeverPrintValues(t *testing.T) {
	secrets := NewSecrets(map[string]string{"API_KEY": "hunter2", "OTHER": "hunter2"})
	agent := Agent{ID: "a", Env: secrets}
	server := MCPServer{Name: "s", Env: secrets, Headers: secrets}
	config := &Config{Agents: []Agent{agent}, MCP: []MCPServer{server}}
	hidden := struct{ a Agent }{agent} // fmt calls no methods of unexported fields
	var out strings.Builder
	for _, v := range []any{secrets, &secrets, agent, &agent, server, config, hidden, []Secrets{secrets}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		encoded, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(encoded)
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", v)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", v)
		out.Write(log.Bytes())
	}
	for _, leak := range []string{"hunter2", fmt.Sprintf("%x", "hunter2"), fmt.Sprintf("%X", "hunter2")} {
		if strings.Contains(out.String(), leak) {
			t.Errorf("%q printed in:\n%s", leak, out.String())
		}
	}
	for want, got := range map[string]string{
		"{API_KEY OTHER}":               fmt.Sprintf("%v", secrets),
		"config.Secrets{API_KEY OTHER}": fmt.Sprintf("%#v", secrets),
		"{}":                            Secrets{}.String(),
	} {
		if got != want {
			t.Errorf("printed %s, want %s", got, want)
		}
	}
	if !strings.Contains(out.String(), "v=\"{API_KEY OTHER}\"") || !strings.Contains(out.String(), `"v":"{API_KEY OTHER}"`) {
		t.Error("slog does not show the names")
	}
}

func TestSecretsExpand(t *testing.T) {
	environment := map[string]string{"A": "1", "A_B": "2", "EMPTY": "", "DOLLAR": "$A"}
	lookup := func(name string) (string, bool) { v, ok := environment[name]; return v, ok }
	for raw, want := range map[string]string{
		"":             "",
		"plain":        "plain",
		"$A":           "1",
		"${A}_B":       "1_B",
		"$A_B":         "2",
		"x$A-$A.y":     "x1-1.y",
		"$$A":          "$A",
		"$$$A":         "$1",
		"[$EMPTY]":     "[]",
		"${DOLLAR}":    "$A",
		"pa$$$$word$$": "pa$$word$",
	} {
		got, err := NewSecrets(map[string]string{"K": raw}).Expand(lookup)
		if err != nil || got["K"] != want {
			t.Errorf("%q: %q, %v; want %q", raw, got["K"], err, want)
		}
	}
	for raw, want := range map[string]string{
		"sk $NOPE":  "K: environment variable NOPE is not set",
		"sk $":      "K: " + errStrayDollar.Error(),
		"sk $5":     "K: " + errStrayDollar.Error(),
		"sk ${A":    "K: " + errStrayDollar.Error(),
		"sk ${}":    "K: " + errStrayDollar.Error(),
		"sk ${A B}": "K: " + errStrayDollar.Error(),
	} {
		got, err := NewSecrets(map[string]string{"K": raw}).Expand(lookup)
		if got != nil || err == nil || err.Error() != want {
			t.Errorf("%q: %v, %v", raw, got, err)
		}
	}
	_, err := NewSecrets(map[string]string{"B": "$X", "A": "$Y"}).Environ(lookup)
	if want := "A: environment variable Y is not set\nB: environment variable X is not set"; err == nil || err.Error() != want {
		t.Errorf("not every missing variable is named: %v", err)
	}
}

func TestSecretsAreACopy(t *testing.T) {
	values := map[string]string{"A": "1"}
	s := NewSecrets(values)
	values["A"], values["B"] = "2", "3"
	got, _ := s.Expand(nil)
	got["A"] = "4"
	again, _ := s.Expand(nil)
	if !maps.Equal(s.all(), map[string]string{"A": "1"}) {
		t.Error("Equal does not compare the values")
	}
	if !maps.Equal(again, map[string]string{"A": "1"}) || s.Len() != 1 || !slices.Equal(s.Names(), []string{"A"}) {
		t.Errorf("changed from outside: %v", again)
	}
}
