package acpclient

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/internal/schema"
)

// schemaGen makes values that fit a type of the official schema. What it
// chooses is up to its chooser.
type schemaGen struct {
	defs   defs
	choose chooser
	// mark, if set, is told where a value stands whose schema has leniency
	// marks, and where that schema stands.
	mark func(path []any, at string, schema map[string]any)
}

// chooser decides what a schema leaves open.
type chooser interface {
	variant(n int) int // one of n shapes
	pick(n int) int    // one of n values
	include() bool     // an optional field
	length() int       // of an array
	text() string
	number(low, high int64) json.Number
	anything() any // where the schema takes any JSON
}

type defs = map[string]map[string]any

// schemaDefs are the `$defs` of a schema.
func schemaDefs(t testing.TB, s *schema.Schema) defs {
	var doc struct {
		Defs defs `json:"$defs"`
	}
	if err := json.Unmarshal(s.Raw, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Defs
}

// value makes a value of the type def of `$defs`.
func (g *schemaGen) value(def string) any {
	return g.make(g.defs[def], def, nil, 0)
}

func (g *schemaGen) make(s map[string]any, at string, path []any, depth int) any {
	if ref, ok := s["$ref"].(string); ok {
		def := strings.TrimPrefix(ref, "#/$defs/")
		return g.make(g.defs[def], def, path, depth+1)
	}
	if v, ok := s["const"]; ok {
		return v
	}
	if enum, ok := s["enum"].([]any); ok {
		return enum[g.choose.pick(len(enum))]
	}
	var parts []any
	for _, key := range []string{"anyOf", "oneOf"} {
		if options, ok := s[key].([]any); ok {
			if at == "RequestId" {
				options = options[1:] // null: nobody can be meant by it
			}
			i := g.choose.variant(len(options))
			parts = append(parts, g.make(options[i].(map[string]any), fmt.Sprintf("%s/%s/%d", at, key, i), path, depth))
		}
	}
	all, _ := s["allOf"].([]any)
	for i, p := range all {
		parts = append(parts, g.make(p.(map[string]any), fmt.Sprintf("%s/allOf/%d", at, i), path, depth))
	}
	if _, ok := s["properties"]; ok || s["type"] == "object" {
		parts = append(parts, g.object(s, at, path, depth))
	}
	if len(parts) > 0 {
		return merge(parts)
	}
	return g.plain(s, at, path, depth)
}

// neverEmpty are strings that mean nothing when they are empty: a group without
// a name is the plain list of its values, a terminal without an id is none.
var neverEmpty = map[string]bool{
	"SessionConfigSelectGroup/name": true, "TerminalId": true, "SessionModeId": true,
	"SessionId": true, "ElicitationId": true, "ElicitationUrlMode/url": true,
}

// merge joins the parts of an object that stand side by side in a schema. A
// constant in one of them has the last word.
func merge(parts []any) any {
	out, ok := parts[0].(map[string]any)
	if !ok {
		return parts[0]
	}
	for _, p := range parts[1:] {
		if fields, ok := p.(map[string]any); ok {
			maps.Copy(out, fields)
		}
	}
	return out
}

func (g *schemaGen) object(s map[string]any, at string, path []any, depth int) map[string]any {
	out := map[string]any{}
	required, _ := s["required"].([]any)
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p := properties[name].(map[string]any)
		if !slices.Contains(required, any(name)) && (depth > 12 || !g.choose.include()) {
			continue
		}
		here := append(slices.Clip(path), name)
		where := at + "/" + name
		out[name] = g.make(p, where, here, depth+1)
		if g.mark != nil {
			g.mark(here, where, p)
		}
		if s["not"] != nil { // a variant that is none of the known
			out[name] = "_" + g.choose.text()
		}
	}
	if more, ok := s["additionalProperties"].(map[string]any); ok {
		for i := range g.choose.length() {
			name := fmt.Sprintf("key %d", i)
			out[name] = g.make(more, at+"/*", append(slices.Clip(path), name), depth+1)
		}
	}
	if s["additionalProperties"] == true && len(properties) == 0 {
		out["x"] = g.choose.anything()
	}
	return out
}

func (g *schemaGen) plain(s map[string]any, at string, path []any, depth int) any {
	kind, _ := s["type"].(string)
	if kinds, ok := s["type"].([]any); ok {
		kind = kinds[0].(string)
		if !g.choose.include() {
			kind = "null"
		}
	}
	switch kind {
	case "null":
		return nil
	case "string":
		if s["minLength"] != nil || neverEmpty[at] {
			return "x" + g.choose.text()
		}
		return g.choose.text()
	case "boolean":
		return g.choose.pick(2) == 0
	case "integer":
		high := map[any]int64{"uint16": 1<<16 - 1, "uint32": 1<<32 - 1, "int32": 1<<31 - 1}[s["format"]]
		if high == 0 {
			high = 1 << 53
		}
		low := -high
		if _, ok := s["minimum"]; ok {
			low = 0
		}
		return g.choose.number(low, high)
	case "number":
		if s["maximum"] != nil {
			return g.choose.number(0, 1)
		}
		return g.choose.number(0, 1<<40)
	case "object":
		return g.object(s, at, path, depth)
	case "array":
		items, _ := s["items"].(map[string]any)
		out := []any{}
		for i := range g.choose.length() {
			out = append(out, g.make(items, at+"/*", append(slices.Clip(path), i), depth+1))
		}
		return out
	}
	return g.choose.anything()
}

// drawn chooses what rapid draws.
type drawn struct{ t *rapid.T }

func (d drawn) variant(n int) int { return rapid.IntRange(0, n-1).Draw(d.t, "variant") }
func (d drawn) pick(n int) int    { return rapid.IntRange(0, n-1).Draw(d.t, "pick") }
func (d drawn) include() bool     { return rapid.Bool().Draw(d.t, "include") }
func (d drawn) length() int       { return rapid.IntRange(0, 3).Draw(d.t, "length") }

func (d drawn) text() string {
	return rapid.OneOf(rapid.Just(""), rapid.StringN(0, 12, 40), rapid.SampledFrom([]string{"</b>&\u2028", "\x00\x1b[31m", "\"quoted\"", "日本語"})).Draw(d.t, "text")
}

func (d drawn) number(low, high int64) json.Number {
	return json.Number(fmt.Sprint(rapid.Int64Range(low, high).Draw(d.t, "number")))
}

func (d drawn) anything() any {
	return rapid.SampledFrom([]any{"text", 7.0, true, map[string]any{"a": []any{1.0, nil}}, []any{"x"}}).Draw(d.t, "anything")
}

// exhaustive includes everything, and takes one shape after the other as count
// goes up.
type exhaustive struct{ count *int }

func (e exhaustive) variant(n int) int {
	v := *e.count % n
	*e.count /= n
	return v
}
func (exhaustive) pick(int) int                  { return 0 }
func (exhaustive) include() bool                 { return true }
func (exhaustive) length() int                   { return 2 }
func (exhaustive) text() string                  { return "text" }
func (exhaustive) number(_, _ int64) json.Number { return "1" }
func (exhaustive) anything() any                 { return map[string]any{"any": "thing"} }
