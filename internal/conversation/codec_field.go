package conversation

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"parley/acpclient"
)

// fieldFormat is how one field of an event is written.
type fieldFormat struct {
	index    int
	name     string
	key      string // the name in quotes, with its colon
	optional bool   // it may be left out
	format   valueFormat
}

// valueFormat is how the values of one type are written.
type valueFormat struct {
	write func(dst []byte, v reflect.Value) ([]byte, error)
	read  func(raw json.RawMessage, v reflect.Value) error
}

// fieldFormats reads the tags of an event's type. Every field must have one.
func fieldFormats(t reflect.Type) []fieldFormat {
	fields := make([]fieldFormat, t.NumField())
	for i := range fields {
		f := t.Field(i)
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || option != "" && option != "omitzero" {
			panic(fmt.Sprintf("the field %s.%s has no usable tag", t.Name(), f.Name))
		}
		fields[i] = fieldFormat{i, name, `"` + name + `":`, option != "", formatOf(f.Type)}
	}
	return fields
}

// appendFields appends an event as an object.
func (f *eventFormat) appendFields(dst []byte, event reflect.Value) ([]byte, error) {
	dst = append(dst, '{')
	first := true
	for i := range f.fields {
		field := &f.fields[i]
		v := event.Field(field.index)
		switch {
		case field.optional && v.IsZero():
			continue
		case !field.optional && isNil(v):
			return dst, fmt.Errorf("%q is missing", field.name)
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, field.key...)
		var err error
		if dst, err = field.format.write(dst, v); err != nil {
			return dst, fmt.Errorf("%q: %w", field.name, err)
		}
	}
	return append(dst, '}'), nil
}

// decodeFields makes an event of an object.
func (f *eventFormat) decodeFields(data json.RawMessage) (Event, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return nil, err
	}
	event := reflect.New(f.typ).Elem()
	for i := range f.fields {
		field := &f.fields[i]
		raw, there := values[field.name]
		if !there && field.optional {
			continue
		}
		v := event.Field(field.index)
		err := errors.New("is missing")
		if there {
			err = field.format.read(raw, v)
		}
		if err == nil && !field.optional && isNil(v) {
			err = errors.New("is null")
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", field.name, err)
		}
	}
	return event.Interface().(Event), nil
}

// isNil reports a pointer or an error that is nil. Nobody who looks at an event
// expects that where the field may not be left out.
func isNil(v reflect.Value) bool {
	return (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil()
}

var (
	errorType     = reflect.TypeFor[error]()
	timeType      = reflect.TypeFor[time.Time]()
	bytesType     = reflect.TypeFor[[]byte]()
	textPointer   = reflect.TypeFor[*string]()
	marshalerType = reflect.TypeFor[json.Marshaler]()
	textType      = reflect.TypeFor[encoding.TextMarshaler]()
)

// formatOf chooses how a type is written. What is not parley's own is written by
// the protocol's rules.
func formatOf(t reflect.Type) valueFormat {
	switch {
	case t == errorType:
		return valueFormat{appendErrorValue, decodeErrorValue}
	case t == timeType:
		return valueFormat{appendTime, decodeJSON}
	case t == bytesType:
		return valueFormat{appendBytesValue, decodeBytesValue}
	case t == textPointer:
		return valueFormat{
			func(dst []byte, v reflect.Value) ([]byte, error) { return appendText(dst, v.Elem().String()), nil },
			func(raw json.RawMessage, v reflect.Value) error {
				v.Set(reflect.New(t.Elem()))
				return decodeTextValue(raw, v.Elem())
			},
		}
	case t.Kind() == reflect.String && !t.Implements(marshalerType) && !t.Implements(textType):
		return valueFormat{
			func(dst []byte, v reflect.Value) ([]byte, error) { return appendText(dst, v.String()), nil },
			decodeTextValue,
		}
	}
	return valueFormat{
		func(dst []byte, v reflect.Value) ([]byte, error) {
			if raw := received(v.Interface()); len(raw) > 0 {
				return appendRaw(dst, raw), nil
			}
			return appendJSON(dst, v.Interface())
		},
		func(raw json.RawMessage, v reflect.Value) error {
			return acpclient.Unmarshal(raw, v.Addr().Interface())
		},
	}
}

// received is a request of the agent as it was received, nil if there is only
// what was made of it.
func received(v any) json.RawMessage {
	switch r := v.(type) {
	case *acpclient.RequestPermissionRequest:
		return r.Raw
	case *acpclient.CreateElicitationRequest:
		return r.Raw
	}
	return nil
}

func decodeJSON(raw json.RawMessage, v reflect.Value) error {
	return json.Unmarshal(raw, v.Addr().Interface())
}

func appendTime(dst []byte, v reflect.Value) ([]byte, error) {
	at := v.Interface().(time.Time).UTC()
	if y := at.Year(); y < 0 || y > 9999 {
		return dst, fmt.Errorf("the year %d cannot be written", y)
	}
	dst = append(dst, '"')
	dst = at.AppendFormat(dst, time.RFC3339Nano)
	return append(dst, '"'), nil
}

func appendBytesValue(dst []byte, v reflect.Value) ([]byte, error) {
	return appendText(dst, textOf(v.Bytes())), nil
}

func decodeBytesValue(raw json.RawMessage, v reflect.Value) error {
	s, err := decodeText(raw)
	v.SetBytes([]byte(s))
	return err
}

func decodeTextValue(raw json.RawMessage, v reflect.Value) error {
	s, err := decodeText(raw)
	v.SetString(s)
	return err
}

func appendErrorValue(dst []byte, v reflect.Value) ([]byte, error) {
	return appendError(dst, v.Interface().(error))
}

func decodeErrorValue(raw json.RawMessage, v reflect.Value) error {
	err, problem := decodeError(raw)
	if err != nil {
		v.Set(reflect.ValueOf(err))
	}
	return problem
}
