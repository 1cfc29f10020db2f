package acpclient

import (
	"encoding/json"
)

// Meta is the `_meta` of a protocol object: an object of extensions, kept as it
// was received and never required ("Extensibility" in the protocol's pages).
type Meta = json.RawMessage

// MetaValue decodes the value at a path of keys in m, for instance
// "claudeCode", "parentToolUseId". It reports whether it was there and fit.
func MetaValue[T any](m Meta, path ...string) (T, bool) {
	var v T
	raw := m
	for _, key := range path {
		var fields map[string]json.RawMessage
		if len(raw) == 0 || json.Unmarshal(raw, &fields) != nil {
			return v, false
		}
		raw = fields[key]
	}
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &v) != nil {
		var none T
		return none, false
	}
	return v, true
}

// Field is an optional field for which null and absent differ: null clears,
// absent leaves alone. The zero value is absent.
type Field[T any] struct {
	// Set says that the field was there.
	Set bool
	// Value is nil when the field was null.
	Value *T
}

// IsZero reports that the field is absent, for `omitzero`.
func (f Field[T]) IsZero() bool { return !f.Set }

// MarshalJSON encodes the value, or null.
func (f Field[T]) MarshalJSON() ([]byte, error) { return marshal(f.Value) }

// UnmarshalJSON decodes a value or null. An invalid value counts as absent.
func (f *Field[T]) UnmarshalJSON(b []byte) error {
	*f = Field[T]{}
	if isNull(b) {
		f.Set = true
		return nil
	}
	value := new(T)
	if Unmarshal(b, value) == nil {
		*f = Field[T]{Set: true, Value: value}
	}
	return nil
}

// SetTo is the field with a value.
func SetTo[T any](v T) Field[T] { return Field[T]{Set: true, Value: &v} }

// List is an array that the schema requires: nil is encoded as an empty one.
type List[T any] []T

// MarshalJSON encodes an array, never null.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return marshal([]T(l))
}

// splice puts `"key":"value"` in front of the fields of an encoded object.
func splice(key, value string, object []byte) []byte {
	head, _ := marshal(value)
	out := make([]byte, 0, len(object)+len(key)+len(head)+8)
	out = append(out, '{', '"')
	out = append(out, key...)
	out = append(out, '"', ':')
	out = append(out, head...)
	if len(object) > 2 {
		out = append(out, ',')
	}
	return append(out, object[1:]...)
}
