package schematest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var (
	//go:embed testdata/schema.json
	stableJSON []byte
	//go:embed testdata/schema.unstable.json
	unstableJSON []byte
)

// Schema is one of the official schemas of ACP, version 1. It may be used from
// any goroutine.
type Schema struct {
	// Raw is the schema as published.
	Raw []byte
	// Methods are the methods that the schema defines, by x-side and x-method.
	Methods map[MethodKey]MethodTypes

	url      string
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

// MethodKey names a method: who answers it ("agent", "client" or "protocol"
// for both), and its name on the wire.
type MethodKey struct{ Side, Method string }

// MethodTypes are the entries of `$defs` that a method is made of. A
// notification has only Notification; a method may be both.
type MethodTypes struct{ Request, Response, Notification string }

// Stable is schema.json: the protocol as it stands.
var Stable = sync.OnceValue(func() *Schema { return load("schema.json", stableJSON) })

// Unstable is schema.unstable.json: the protocol with its proposed additions.
var Unstable = sync.OnceValue(func() *Schema { return load("schema.unstable.json", unstableJSON) })

// load reads a schema of this package; one that cannot be read is a mistake in
// the package itself.
func load(name string, raw []byte) *Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		panic(fmt.Sprintf("schematest: %s: %v", name, err))
	}
	s := &Schema{
		Raw: raw, Methods: map[MethodKey]MethodTypes{}, url: "https://agentclientprotocol.com/" + name,
		compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{},
	}
	if err := s.compiler.AddResource(s.url, doc); err != nil {
		panic(fmt.Sprintf("schematest: %s: %v", name, err))
	}
	for def, entry := range doc.(map[string]any)["$defs"].(map[string]any) {
		fields, _ := entry.(map[string]any)
		method, ok := fields["x-method"].(string)
		if !ok {
			continue
		}
		key := MethodKey{fields["x-side"].(string), method}
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

// Validate checks a JSON value against an entry of the schema's `$defs`.
func (s *Schema) Validate(def string, value json.RawMessage) error {
	schema, err := s.compile(def)
	if err != nil {
		return err
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return err
	}
	return schema.Validate(instance)
}

func (s *Schema) compile(def string) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if schema := s.compiled[def]; schema != nil {
		return schema, nil
	}
	schema, err := s.compiler.Compile(s.url + "#/$defs/" + def)
	if err != nil {
		return nil, fmt.Errorf("the schema has no usable type %s: %w", def, err)
	}
	s.compiled[def] = schema
	return schema, nil
}
