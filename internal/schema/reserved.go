package schema

import (
	"encoding/json"
	"slices"
	"strings"
)

// other is the title of the alternative of an open union that accepts every value: custom
// ones, which begin with an underscore, and those of later versions.
const other = "other"

// Reserved finds the values that only fit a type because its unions are open: unknown
// ones that do not begin with an underscore. Those are reserved for later versions.
func (s *Schema) Reserved(def string, value json.RawMessage) []*Fault {
	var instance any
	if json.Unmarshal(value, &instance) != nil {
		return nil
	}
	return s.reserved(s.defs[def], instance, "")
}

func (s *Schema) reserved(to *keywords, v any, path string) (out []*Fault) {
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
	eachPart(to, v, path, func(of *keywords, part any, path string) {
		out = append(out, s.reserved(of, part, path)...)
	})
	return out
}

func (s *Schema) reservedOf(union []*keywords, v any, path string) (out []*Fault) {
	open := slices.ContainsFunc(union, func(one *keywords) bool { return one.Title == other })
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

// known reports whether a value is one of the defined alternatives, by its tag if there
// is one.
func (s *Schema) known(union []*keywords, v any) bool {
	return slices.ContainsFunc(union, func(one *keywords) bool {
		return one.Title != other && s.tagged(one, v) && (one.Const != nil || tagOf(one) != "" || len(s.explain(one, v, "")) == 0)
	})
}

// reservedTag returns the fault if the tag of a value is reserved.
func reservedTag(union []*keywords, v any, path string) *Fault {
	if object, ok := v.(map[string]any); ok {
		name := tagOf(union...)
		v, path = object[name], path+"/"+name
	}
	if text, ok := v.(string); ok && !strings.HasPrefix(text, "_") {
		return &Fault{Path: path, Reason: inJSON(v) + " is unknown and does not begin with an underscore"}
	}
	return nil
}

// tagOf returns the name of the property that identifies an alternative by a constant.
func tagOf(union ...*keywords) string {
	for _, one := range union {
		for name, of := range one.Properties {
			if of.Const != nil {
				return name
			}
		}
	}
	return ""
}
