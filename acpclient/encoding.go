package acpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"net/url"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Unmarshal decodes JSON into a type of this package leniently, at least where the
// schema says so (`x-deserialize-default-on-error`,
// `x-deserialize-skip-invalid-items`): an invalid optional field gets its zero value, an
// invalid item of an array is skipped, and an unknown variant keeps its JSON in Raw. A file URL counts as its path. The
// error is for invalid JSON, and for an invalid v as a whole.
func Unmarshal(data []byte, v any) error {
	data = bytes.TrimSpace(data)
	if len(data) > 0 && !valid(data) {
		return json.Unmarshal(data, new(json.RawMessage)) // says where the error is
	}
	return decode(data, v)
}

// decode is Unmarshal for data that is empty, or valid JSON without space around it: a
// message is validated once, and then only walked (walk.go).
func decode(data []byte, v any) error {
	if len(data) == 0 {
		return errEmpty
	}
	return decodeLenient(data, reflect.ValueOf(v).Elem())
}

var errEmpty = errors.New("nothing to decode")

// variant is implemented by types that have several shapes or keep unknown JSON.
type variant interface {
	// decodeVariant decodes the whole value, with decodePlain for the usual part. raw
	// is as in decode, and must not be kept.
	decodeVariant(raw json.RawMessage) error
}

var (
	rawType         = reflect.TypeFor[json.RawMessage]()
	unmarshalerType = reflect.TypeFor[json.Unmarshaler]()
	variantType     = reflect.TypeFor[variant]()
)

// typeInfo describes a type for decoding.
type typeInfo struct {
	variant, unmarshaler bool
	fields               []fieldInfo // of a struct, including embedded structs
}

// fieldInfo describes a field with a name on the wire.
type fieldInfo struct {
	name     string
	index    []int
	in       string // the struct's name, for errors
	required bool
	isStruct bool
	optional bool     // omitempty
	isPath   bool     // some agents send URLs
	of       []string // the types of a union that require the field
}

var typeInfos sync.Map // from reflect.Type to *typeInfo

func infoOf(t reflect.Type) *typeInfo {
	if info, ok := typeInfos.Load(t); ok {
		return info.(*typeInfo)
	}
	p := reflect.PointerTo(t)
	info := &typeInfo{variant: p.Implements(variantType), unmarshaler: p.Implements(unmarshalerType)}
	if t.Kind() == reflect.Struct {
		info.fields = appendFields(nil, t, nil)
	}
	typeInfos.Store(t, info)
	return info
}

func appendFields(fields []fieldInfo, t reflect.Type, index []int) []fieldInfo {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(index[:len(index):len(index)], i)
		of, _ := strings.CutPrefix(f.Tag.Get("acp"), "of=")
		switch name, options, _ := strings.Cut(f.Tag.Get("json"), ","); {
		case f.Anonymous:
			fields = appendFields(fields, f.Type, at)
		case name != "" && name != "-":
			fields = append(fields, fieldInfo{
				name: name, index: at, in: t.Name(),
				required: of == "required", isStruct: f.Type.Kind() == reflect.Struct,
				optional: options == "omitempty", of: strings.Split(of, "|"),
				isPath: (name == "path" || name == "oldPath") && f.Type.Kind() == reflect.String,
			})
		}
	}
	return fields
}

func decodeLenient(raw json.RawMessage, v reflect.Value) error {
	info := infoOf(v.Type())
	if info.variant {
		return v.Addr().Interface().(variant).decodeVariant(raw)
	}
	return info.decode(raw, v)
}

// decodePlain decodes into what v points to without its decodeVariant.
func decodePlain(raw json.RawMessage, v any) error {
	to := reflect.ValueOf(v).Elem()
	return infoOf(to.Type()).decode(raw, to)
}

func (info *typeInfo) decode(raw json.RawMessage, v reflect.Value) error {
	t := v.Type()
	switch {
	case t == rawType:
		v.SetBytes(bytes.Clone(raw))
		return nil
	case info.unmarshaler:
		return v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(raw)
	}
	switch t.Kind() {
	case reflect.Pointer:
		if isNull(raw) {
			v.SetZero()
			return nil
		}
		p := reflect.New(t.Elem())
		if err := decodeLenient(raw, p.Elem()); err != nil {
			return err
		}
		v.Set(p)
		return nil
	case reflect.Struct:
		return info.decodeStruct(raw, v)
	case reflect.Slice:
		return decodeSlice(raw, v)
	case reflect.Map:
		return decodeMap(raw, v)
	case reflect.String:
		text, err := decodeString(raw)
		if err == nil {
			v.SetString(text)
		}
		return err
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return decodeInteger(raw, v)
	case reflect.Bool:
		err := json.Unmarshal(raw, v.Addr().Interface())
		if err != nil && len(raw) > 0 {
			return wrongKind{raw[0], "a boolean"}
		}
		return err
	default:
		return json.Unmarshal(raw, v.Addr().Interface())
	}
}

var errMissing = errors.New("is missing")

func (info *typeInfo) decodeStruct(raw json.RawMessage, v reflect.Value) error {
	if raw[0] != '{' {
		return fmt.Errorf("%s: %w", v.Type().Name(), wrongKind{raw[0], "an object"})
	}
	const usual = 20 // fields
	var room [usual][]byte
	values := append(room[:0], make([][]byte, len(info.fields))...)
	for key, value := range Members(raw) {
		for i := range info.fields {
			if info.fields[i].name == string(key) {
				values[i] = value
				break
			}
		}
	}
	for i := range info.fields {
		f, value := &info.fields[i], values[i]
		err := errMissing
		if value != nil && (f.isStruct || !isNull(value)) {
			to := v.FieldByIndex(f.index)
			if err = decodeLenient(value, to); err != nil {
				to.SetZero()
			}
			if f.isPath {
				to.SetString(localPath(to.String()))
			}
		}
		if err != nil && f.required {
			return fmt.Errorf("%s: %q: %w", f.in, f.name, err)
		}
	}
	return nil
}

// localPath returns the path of a file URL, and any other path as it is.
func localPath(path string) string {
	if len(path) < 5 || !strings.EqualFold(path[:5], "file:") {
		return path
	}
	u, err := url.Parse(path)
	if err != nil || u.Path == "" || u.Host != "" && u.Host != "localhost" {
		return path
	}
	if runtime.GOOS == "windows" {
		return filepath.FromSlash(strings.TrimPrefix(u.Path, "/"))
	}
	return u.Path
}

func decodeSlice(raw json.RawMessage, v reflect.Value) error {
	if isNull(raw) {
		v.SetZero()
		return nil
	}
	if raw[0] != '[' {
		return wrongKind{raw[0], "an array"}
	}
	out := reflect.MakeSlice(v.Type(), 0, 0)
	for item := range Elements(raw) {
		e := reflect.New(v.Type().Elem()).Elem()
		if isNull(item) || decodeLenient(item, e) != nil {
			continue
		}
		out = reflect.Append(out, e)
	}
	v.Set(out)
	return nil
}

func decodeMap(raw json.RawMessage, v reflect.Value) error {
	if isNull(raw) {
		v.Set(reflect.MakeMap(v.Type()))
		return nil
	}
	if raw[0] != '{' {
		return wrongKind{raw[0], "an object"}
	}
	out := reflect.MakeMap(v.Type())
	for key, item := range Members(raw) {
		e := reflect.New(v.Type().Elem()).Elem()
		if decodeLenient(item, e) == nil {
			out.SetMapIndex(reflect.ValueOf(string(key)).Convert(v.Type().Key()), e)
		}
	}
	v.Set(out)
	return nil
}

// decodeInteger accepts any spelling of a whole number: 3, 3.0, 3e0.
func decodeInteger(raw json.RawMessage, v reflect.Value) error {
	err := json.Unmarshal(raw, v.Addr().Interface())
	if err == nil {
		return nil
	}
	f, ferr := strconv.ParseFloat(string(raw), 64)
	if ferr != nil || f != math.Trunc(f) {
		if len(raw) == 0 {
			return err
		}
		return wrongKind{raw[0], "a whole number"}
	}
	switch {
	case v.CanInt() && f >= -(1<<53) && f <= 1<<53 && !v.OverflowInt(int64(f)):
		v.SetInt(int64(f))
	case v.CanUint() && f >= 0 && f <= 1<<53 && !v.OverflowUint(uint64(f)):
		v.SetUint(uint64(f))
	default:
		return err
	}
	return nil
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// A union is a struct whose Type says which of its fields matter. The tag acp:"of=a|b" lists
// the types that require the field, so that it is encoded even if it is empty.

// decodeUnion decodes a union, and keeps the JSON of one of unknown type in keep.
func decodeUnion[K ~string](raw json.RawMessage, v any, kind *K, keep *json.RawMessage) error {
	err := decodePlain(raw, v)
	if err == nil && !isOf(v, string(*kind)) {
		*keep = bytes.Clone(raw)
	}
	return err
}

// isOf reports whether a union, behind a pointer, has a type.
func isOf(v any, kind string) bool {
	return slices.ContainsFunc(infoOf(reflect.TypeOf(v).Elem()).fields, func(f fieldInfo) bool { return slices.Contains(f.of, kind) })
}

// marshalUnion encodes a union of a type; one of unknown type stays as received.
func marshalUnion[K ~string](v any, kind K, raw json.RawMessage) ([]byte, error) {
	if len(raw) > 0 {
		return raw, nil
	}
	from := reflect.ValueOf(v)
	out, known := []byte{'{'}, false
	for _, f := range infoOf(from.Type()).fields {
		value := from.FieldByIndex(f.index)
		required := slices.Contains(f.of, string(kind))
		if known = known || required; !required && f.optional && (value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0) {
			continue
		}
		part, err := Marshal(value.Interface())
		switch {
		case err != nil:
			return nil, err
		case isNull(part) && value.Kind() == reflect.Slice:
			part = []byte("[]")
		case isNull(part):
			return nil, fmt.Errorf("%s of type %q cannot be encoded without %s", f.in, kind, f.name)
		}
		out = append(append(fmt.Appendf(out, "%q:", f.name), part...), ',')
	}
	if !known {
		return nil, fmt.Errorf("%s of type %q cannot be encoded", from.Type().Name(), kind)
	}
	out[len(out)-1] = '}'
	return out, nil
}

// Meta is the `_meta` of a protocol object: extensions, kept as received ("Extensibility"
// in the protocol's pages).
type Meta = json.RawMessage

// MetaValue decodes the value at a path of keys in m, such as "claudeCode",
// "parentToolUseId". It returns false if the value is missing or invalid.
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

// Field is an optional field of an update: null clears, absent means no change. The
// zero value is absent.
type Field[T any] struct {
	Set   bool // the field is present
	Value *T   // nil for null
}

// IsZero reports whether the field is absent, for `omitzero`.
func (f Field[T]) IsZero() bool { return !f.Set }

// MarshalJSON encodes the value, or null.
func (f Field[T]) MarshalJSON() ([]byte, error) { return Marshal(f.Value) }

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

// SetTo returns a field with a value.
func SetTo[T any](v T) Field[T] { return Field[T]{Set: true, Value: &v} }

// List is an array that the schema requires: nil is encoded as an empty one.
type List[T any] []T

// MarshalJSON encodes an array, never null.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return Marshal([]T(l))
}

// splice puts `"key":"value"` in front of the fields of an encoded object.
func splice(key, value string, object []byte) []byte {
	head, _ := Marshal(value)
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

// largeTextSize is the size in bytes from which a text is encoded in pieces, because
// encoding/json would hold up to four copies of it at once.
const largeTextSize = 1 << 20

// largeText is a result with one text that can be very large.
type largeText interface {
	// split returns the text, and the result with a unique mark in its place.
	split() (text string, rest any, mark string)
}

// marshalAround is Marshal with the text in the place of the mark.
func marshalAround(v any, mark, text string) ([]byte, error) {
	around, err := Marshal(v)
	if err != nil {
		return nil, err
	}
	before, after, _ := bytes.Cut(around, []byte(`"`+mark+`"`))
	const lineEnd = 1
	size := len(before) + len(after) + len(`""`) + lineEnd
	for piece := range quotedPieces(text) {
		size += len(piece)
	}
	out := append(make([]byte, 0, size), before...)
	out = append(out, '"')
	for piece := range quotedPieces(text) {
		out = append(out, piece...)
	}
	out = append(out, '"')
	return append(out, after...), nil
}

// quotedPieces returns the JSON form of a text without its quotes, in pieces.
func quotedPieces(text string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(text) > 0 {
			n := min(len(text), largeTextSize/16)
			for n < len(text) && !utf8.RuneStart(text[n]) {
				n++
			}
			quoted, _ := Marshal(text[:n]) // a string can always be encoded
			if !yield(quoted[1 : len(quoted)-1]) {
				return
			}
			text = text[n:]
		}
	}
}
