package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// other is the title of the alternative of a union that takes every value: those of an
// implementation's own, which begin with an underscore, and those of versions to come.
const other = "other"

// Reserved finds in a JSON value of an entry of `$defs` what fits the schema only because
// unions are open: values that the schema does not know, and that do not begin with an
// underscore. These are left to versions of the protocol to come, and nobody may use them.
func (s *Schema) Reserved(def string, value json.RawMessage) []*Fault {
	var instance any
	if json.Unmarshal(value, &instance) != nil {
		return nil
	}
	return s.reserved(s.defs[def], instance, "")
}

func (s *Schema) reserved(to *jsonschema.Schema, v any, path string) (out []*Fault) {
	if to == nil {
		return nil
	}
	if to.Ref != "" {
		return s.reserved(s.defs[strings.TrimPrefix(to.Ref, refTo)], v, path)
	}
	for _, one := range to.AllOf {
		out = append(out, s.reserved(one, v, path)...)
	}
	out = append(out, s.reservedOf(to.AnyOf, v, path)...)
	out = append(out, s.reservedOf(to.OneOf, v, path)...)
	eachPart(to, v, path, func(of *jsonschema.Schema, part any, path string) {
		out = append(out, s.reserved(of, part, path)...)
	})
	return out
}

// reservedOf looks at the value of a union.
func (s *Schema) reservedOf(union []*jsonschema.Schema, v any, path string) (out []*Fault) {
	open := slices.ContainsFunc(union, func(one *jsonschema.Schema) bool { return one.Title == other })
	for _, one := range s.meant(union, v) {
		switch {
		case open && one.Title == other && !s.known(union, v):
			if f := reservedTag(union, v, path); f != nil {
				out = append(out, f)
			}
		case len(s.explain(one, v, path)) == 0:
			out = append(out, s.reserved(one, v, path)...)
		}
	}
	return out
}

// known reports whether a value is one of the alternatives that the schema tells apart,
// by its tag where there is one.
func (s *Schema) known(union []*jsonschema.Schema, v any) bool {
	return slices.ContainsFunc(union, func(one *jsonschema.Schema) bool {
		return one.Title != other && s.tagged(one, v) && (hasTag(one) || len(s.explain(one, v, "")) == 0)
	})
}

// hasTag reports whether an alternative is told by a constant.
func hasTag(one *jsonschema.Schema) bool {
	return one.Const != nil || tagOf([]*jsonschema.Schema{one}) != ""
}

// reservedTag says that the tag of a value is nobody's.
func reservedTag(union []*jsonschema.Schema, v any, path string) *Fault {
	if object, ok := v.(map[string]any); ok {
		name := tagOf(union)
		v, path = object[name], path+"/"+name
	}
	if text, ok := v.(string); ok && !strings.HasPrefix(text, "_") {
		return &Fault{Path: path, Reason: inJSON(v) + " is unknown and does not begin with an underscore"}
	}
	return nil
}

// tagOf is the name of the property that tells the alternatives of a union apart.
func tagOf(union []*jsonschema.Schema) string {
	for _, one := range union {
		for name, of := range one.Properties {
			if of.Const != nil {
				return name
			}
		}
	}
	return ""
}
