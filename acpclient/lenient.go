package acpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Unmarshal decodes JSON into a type of this package as the schema's leniency
// marks ask for (`x-deserialize-default-on-error`,
// `x-deserialize-skip-invalid-items`), and in a few more places: a field that
// does not fit takes its zero value unless the type cannot do without it, an
// item of an array that does not fit is left out, an unknown variant keeps its
// JSON in Raw. It returns an error only if v as a whole cannot be made of data.
func Unmarshal(data []byte, v any) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("there is nothing to decode")
	}
	return decodeLenient(data, reflect.ValueOf(v).Elem())
}

// variant is implemented by types that come in more than one shape, or that
// keep what they do not know.
type variant interface {
	// decodeVariant decodes the whole value, using decodeFields for the usual
	// part of it.
	decodeVariant(raw json.RawMessage) error
}

var (
	rawType         = reflect.TypeFor[json.RawMessage]()
	unmarshalerType = reflect.TypeFor[json.Unmarshaler]()
	variantType     = reflect.TypeFor[variant]()
)

func decodeLenient(raw json.RawMessage, v reflect.Value) error {
	if v.CanAddr() {
		if p := v.Addr(); p.Type().Implements(variantType) {
			return p.Interface().(variant).decodeVariant(raw)
		}
	}
	return decodePlain(raw, v)
}

func decodePlain(raw json.RawMessage, v reflect.Value) error {
	t := v.Type()
	switch {
	case t == rawType:
		v.SetBytes(bytes.Clone(raw))
		return nil
	case reflect.PointerTo(t).Implements(unmarshalerType):
		return json.Unmarshal(raw, v.Addr().Interface())
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
		return decodeStruct(raw, v)
	case reflect.Slice:
		return decodeSlice(raw, v)
	case reflect.Map:
		return decodeMap(raw, v)
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return decodeInteger(raw, v)
	default:
		return json.Unmarshal(raw, v.Addr().Interface())
	}
}

func decodeStruct(raw json.RawMessage, v reflect.Value) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return fmt.Errorf("%s: %w", v.Type().Name(), err)
	}
	if fields == nil {
		return fmt.Errorf("%s: null", v.Type().Name())
	}
	return decodeFields(fields, v)
}

func decodeFields(fields map[string]json.RawMessage, v reflect.Value) error {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			if err := decodeFields(fields, v.Field(i)); err != nil {
				return err
			}
			continue
		}
		name := wireName(f)
		if name == "" {
			continue
		}
		value, there := fields[name]
		var err error
		switch {
		case !there || isNull(value) && f.Type.Kind() != reflect.Struct:
			err = errors.New("is missing")
		default:
			if err = decodeLenient(value, v.Field(i)); err != nil {
				v.Field(i).SetZero()
			}
		}
		if err != nil && strings.Contains(f.Tag.Get("acp"), "required") {
			return fmt.Errorf("%s: %q: %w", t.Name(), name, err)
		}
	}
	return nil
}

func decodeSlice(raw json.RawMessage, v reflect.Value) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return err
	}
	if items == nil {
		v.SetZero()
		return nil
	}
	out := reflect.MakeSlice(v.Type(), 0, len(items))
	for _, item := range items {
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
	var items map[string]json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return err
	}
	out := reflect.MakeMapWithSize(v.Type(), len(items))
	for k, item := range items {
		e := reflect.New(v.Type().Elem()).Elem()
		if decodeLenient(item, e) == nil {
			out.SetMapIndex(reflect.ValueOf(k).Convert(v.Type().Key()), e)
		}
	}
	v.Set(out)
	return nil
}

// decodeInteger takes any spelling of a whole number that fits: 3, 3.0, 3e0.
func decodeInteger(raw json.RawMessage, v reflect.Value) error {
	err := json.Unmarshal(raw, v.Addr().Interface())
	if err == nil {
		return nil
	}
	f, ferr := strconv.ParseFloat(string(raw), 64)
	if ferr != nil || f != math.Trunc(f) {
		return err
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
