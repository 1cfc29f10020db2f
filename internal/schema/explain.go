package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Fault is a reason why a value does not fit the schema.
type Fault struct {
	Path     string   // JSON pointer to the value
	Reason   string   // "" while another alternative may fit
	expected []string // the allowed values, if the value is not one of them
}

func (f *Fault) Error() string { return fmt.Sprintf("at %q: %s", f.Path, f.Reason) }

// explain says why a value is invalid. It supports only the keywords that the published schemas use.
func (s *Schema) explain(to *keywords, v any, path string) []Fault {
	if to == nil {
		return nil
	}
	if to.Ref != "" {
		return s.explain(s.defs[strings.TrimPrefix(to.Ref, refTo)], v, path)
	}
	if f := typeFault(to, v, path); f != nil {
		return []Fault{*f}
	}
	faults := valueFaults(to, v, path)
	faults = append(faults, s.partFaults(to, v, path)...)
	for _, one := range to.AllOf {
		faults = append(faults, s.explain(one, v, path)...)
	}
	faults = append(faults, s.nearest(to.AnyOf, v, path)...)
	faults = append(faults, s.nearest(to.OneOf, v, path)...)
	if to.Not != nil && len(s.explain(to.Not, v, path)) == 0 {
		faults = append(faults, Fault{Path: path})
	}
	return faults
}

// meant returns the alternatives whose tag the value has, or all of them.
func (s *Schema) meant(union []*keywords, v any) []*keywords {
	var out []*keywords
	for _, one := range union {
		if s.tagged(one, v) {
			out = append(out, one)
		}
	}
	if out == nil {
		return union
	}
	return out
}

// tagged reports whether a value may have the tag of an alternative.
func (s *Schema) tagged(one *keywords, v any) bool {
	if one.Ref != "" {
		return s.tagged(s.defs[strings.TrimPrefix(one.Ref, refTo)], v)
	}
	if one.Const != nil {
		return reflect.DeepEqual(*one.Const, v)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return true
	}
	for name, of := range one.Properties {
		if of.Const != nil && !reflect.DeepEqual(*of.Const, object[name]) && (object[name] != nil || slices.Contains(one.Required, name)) {
			return false
		}
	}
	return true
}

func typeFault(to *keywords, v any, path string) *Fault {
	is := typeOf(v)
	if len(to.Type) == 0 || slices.Contains(to.Type, is) || is == "integer" && slices.Contains(to.Type, "number") {
		return nil
	}
	return &Fault{Path: path, Reason: fmt.Sprintf("it is %s, not %s", aType(is), aType(to.Type[0]))}
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func aType(name string) string {
	switch name {
	case "null":
		return name
	case "array", "object", "integer":
		return "an " + name
	}
	return "a " + name
}

// valueFaults returns the faults of a value without its parts.
func valueFaults(to *keywords, v any, path string) (out []Fault) {
	allowed := to.Enum
	if to.Const != nil {
		allowed = []any{*to.Const}
	}
	if len(allowed) > 0 && !slices.ContainsFunc(allowed, func(a any) bool { return reflect.DeepEqual(a, v) }) {
		var names []string
		for _, a := range allowed {
			names = append(names, inJSON(a))
		}
		out = append(out, noneOf(path, v, names))
	}
	if n, ok := v.(float64); ok && (to.Minimum != nil && n < *to.Minimum || to.Maximum != nil && n > *to.Maximum) {
		out = append(out, Fault{Path: path, Reason: inJSON(v) + " is out of range"})
	}
	if text, ok := v.(string); ok && to.MinLength != nil && len(text) < *to.MinLength {
		out = append(out, Fault{Path: path, Reason: "it is too short"})
	}
	return out
}

func noneOf(path string, v any, expected []string) Fault {
	reason := inJSON(v) + " is not " + strings.Join(expected, ", ")
	if len(expected) > 1 {
		reason = inJSON(v) + " is not one of " + strings.Join(expected, ", ")
	}
	return Fault{Path: path, Reason: reason, expected: expected}
}

// mostQuoted limits how much of a value is quoted, in bytes.
const mostQuoted = 80

// inJSON returns the JSON of a value, shortened.
func inJSON(v any) string {
	b, _ := json.Marshal(v)
	if len(b) > mostQuoted {
		return strings.ToValidUTF8(string(b[:mostQuoted]), "") + "…"
	}
	return string(b)
}

// partFaults returns the faults in the parts of a value.
func (s *Schema) partFaults(to *keywords, v any, path string) (out []Fault) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range to.Required {
			if _, has := v[name]; !has {
				out = append(out, Fault{Path: path, Reason: fmt.Sprintf("%q is missing", name)})
			}
		}
	case []any:
		if to.MinItems != nil && len(v) < *to.MinItems {
			out = append(out, Fault{Path: path, Reason: "it has too few elements"})
		}
	}
	eachPart(to, v, path, func(of *keywords, part any, path string) {
		out = append(out, s.explain(of, part, path)...)
	})
	return out
}

// eachPart calls a function for the members of an object and the elements of an array.
func eachPart(to *keywords, v any, path string, do func(of *keywords, part any, path string)) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			of := to.Properties[name]
			if of == nil && to.AdditionalProperties != nil {
				of = to.AdditionalProperties
			}
			do(of, v[name], path+"/"+pointer.Replace(name))
		}
	case []any:
		for i := range v {
			do(to.Items, v[i], fmt.Sprintf("%s/%d", path, i))
		}
	}
}

// pointer escapes a name for a JSON pointer.
var pointer = strings.NewReplacer("~", "~0", "/", "~1")

// nearest are the faults of the alternative that a value was probably meant to be: the
// one whose tag it has, else the one with the fewest faults. If it is a value of its own
// that fits none, all that would are named.
func (s *Schema) nearest(union []*keywords, v any, path string) []Fault {
	var best []Fault
	least := math.MaxInt
	var expected []string
	var tagged string // the path of the unexpected value
	for _, one := range s.meant(union, v) {
		faults := s.explain(one, v, path)
		if len(faults) == 0 {
			return nil
		}
		distance := len(faults)
		for _, f := range faults {
			switch {
			case f.Reason == "":
				distance += 3000 // an alternative for values that no other one is for
			case f.expected != nil:
				distance += 1000
				tagged = f.Path
				expected = append(expected, f.expected...)
			case f.Path == path && strings.HasPrefix(f.Reason, "it is "):
				distance += 2000 // another type altogether
			}
		}
		if distance < least {
			best, least = faults, distance
		}
	}
	if least >= 1000 && least < 2000 && len(expected) > 0 {
		at := v
		if object, ok := v.(map[string]any); ok && tagged != path {
			at = object[tagged[strings.LastIndexByte(tagged, '/')+1:]]
		}
		f := noneOf(tagged, at, slices.Compact(slices.Sorted(slices.Values(expected))))
		f.expected = nil // for a union around this one it is a fault like any other
		return []Fault{f}
	}
	return best
}
