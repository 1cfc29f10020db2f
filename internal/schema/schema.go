package schema

import (
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// published has the schemas, compressed because they are most of the embedded data.
//
//go:embed published/*/*.json.gz
var published embed.FS

// Schema is an official schema of ACP. It is safe for concurrent use.
type Schema struct {
	Raw []byte // the schema as published
	// Methods are the methods of the schema, by x-side and x-method.
	Methods map[MethodKey]MethodTypes

	name string
	defs map[string]*keywords
}

// keywords are those of a schema that are checked here.
type keywords struct {
	Ref                              string               `json:"$ref"`
	Defs                             map[string]*keywords `json:"$defs"`
	Title                            string
	Type                             typeNames
	Properties                       map[string]*keywords
	Required                         []string
	AdditionalProperties, Items, Not *keywords
	AllOf, AnyOf, OneOf              []*keywords
	Const                            *any
	Enum                             []any
	Minimum, Maximum                 *float64
	MinLength, MinItems              *int
	Side                             string `json:"x-side"`
	Method                           string `json:"x-method"`
}

// UnmarshalJSON reads the schemas "true", which anything fits, and "false" as well.
func (k *keywords) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "true":
		return nil
	case "false":
		k.Not = &keywords{}
		return nil
	}
	type object keywords
	return json.Unmarshal(b, (*object)(k))
}

// typeNames is the keyword "type": a name, or several.
type typeNames []string

func (t *typeNames) UnmarshalJSON(b []byte) error {
	if b[0] == '[' {
		return json.Unmarshal(b, (*[]string)(t))
	}
	*t = typeNames{""}
	return json.Unmarshal(b, &(*t)[0])
}

// MethodKey identifies a method: who handles it ("agent", "client" or "protocol" for
// both), and its name on the wire.
type MethodKey struct{ Side, Method string }

// MethodTypes are the entries of `$defs` for a method. A method may be both a request
// and a notification.
type MethodTypes struct{ Request, Response, Notification string }

// Types returns the types of a method that a side handles, or both sides do.
func (s *Schema) Types(side Side, method string) (MethodTypes, bool) {
	types, ok := s.Methods[MethodKey{string(side), method}]
	if !ok {
		types, ok = s.Methods[MethodKey{"protocol", method}]
	}
	return types, ok
}

// The schemas of both versions of the protocol, without and with proposed additions. The
// first use of each takes some milliseconds.
var (
	V1         = sync.OnceValue(func() *Schema { return load("v1/schema.json") })
	V1Unstable = sync.OnceValue(func() *Schema { return load("v1/schema.unstable.json") })
	V2         = sync.OnceValue(func() *Schema { return load("v2/schema.json") })
	V2Unstable = sync.OnceValue(func() *Schema { return load("v2/schema.unstable.json") })
)

// unpack returns a compressed file of published.
func unpack(path string) ([]byte, error) {
	f, err := published.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// load reads an embedded schema.
func load(name string) *Schema {
	raw, err := unpack("published/" + name + ".gz")
	var doc keywords
	if err == nil {
		err = json.Unmarshal(raw, &doc)
	}
	if err != nil {
		panic(fmt.Sprintf("schema: %s: %v", name, err))
	}
	s := &Schema{Raw: raw, Methods: map[MethodKey]MethodTypes{}, name: name, defs: doc.Defs}
	for def, entry := range doc.Defs {
		if entry.Method == "" {
			continue
		}
		key := MethodKey{entry.Side, entry.Method}
		types := s.Methods[key]
		switch {
		case strings.HasSuffix(def, "Request"):
			types.Request = def
		case strings.HasSuffix(def, "Response"):
			types.Response = def
		default:
			types.Notification = def
		}
		s.Methods[key] = types
	}
	return s
}

// Kinds returns the known values of a union, or of the field that identifies its variants. It
// panics if there are none.
func (s *Schema) Kinds(def, field string) (all []string) {
	for _, variant := range slices.Concat(s.defs[def].OneOf, s.defs[def].AnyOf) {
		if field != "" {
			variant = variant.Properties[field]
		}
		if variant != nil && variant.Const != nil {
			if kind, ok := (*variant.Const).(string); ok {
				all = append(all, kind)
			}
		}
	}
	if all == nil {
		panic("schema: no kinds of " + def)
	}
	return all
}

// refTo is the beginning of a reference to an entry of `$defs`.
const refTo = "#/$defs/"

// Faults checks a JSON value against an entry of the schema's `$defs`.
func (s *Schema) Faults(def string, value json.RawMessage) []*Fault {
	if s.defs[def] == nil {
		return []*Fault{{Reason: "the schema has no type " + def}}
	}
	var instance any
	if err := json.Unmarshal(value, &instance); err != nil {
		return []*Fault{{Reason: err.Error()}}
	}
	var all []*Fault
	faults := s.explain(s.defs[def], instance, "")
	for _, f := range faults {
		if f.Reason != "" {
			all = append(all, &f)
		}
	}
	if len(all) == 0 && len(faults) > 0 {
		all = append(all, &Fault{Path: faults[0].Path, Reason: "it is not allowed"})
	}
	return all
}
