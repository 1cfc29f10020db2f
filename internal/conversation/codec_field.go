package conversation

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/acpclient"
)

// kind is how the events of one type are written and read.
type kind struct {
	name string
	// write appends the line of an event without its last brace. It reports false for
	// an event of another type.
	write func(dst []byte, e Event) ([]byte, bool, error)
	read  func(at, data json.RawMessage) (Event, error)
}

// member is a member of a JSON object: its name, and a pointer to the field of an event
// that is its value.
type member struct {
	name  string
	value any
}

// kindOf is the kind of events whose data have these members.
func kindOf[E Event](name string, members func(*E) []member) kind {
	head := lineHead + name + `"` + dataKey
	return kind{
		name: name,
		write: func(dst []byte, e Event) ([]byte, bool, error) {
			event, ok := e.(E)
			if !ok {
				return dst, false, nil
			}
			line, err := appendMembers(append(dst, head...), members(&event))
			return line, true, err
		},
		read: func(_, data json.RawMessage) (Event, error) {
			var event E
			err := decodeMembers(data, members(&event))
			return event, err
		},
	}
}

var errMissing = errors.New("is missing")

// appendMembers appends an object.
func appendMembers(dst []byte, members []member) ([]byte, error) {
	dst = append(dst, '{')
	first := len(dst)
	for _, m := range members {
		name, optional := strings.CutSuffix(m.name, "?")
		end := len(dst)
		if end > first {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), name...), '"', ':')
		start := len(dst)
		var err error
		if dst, err = appendValue(dst, m.value); err == nil && !optional && string(dst[start:]) == "null" {
			err = errMissing
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		if optional && isZero(dst[start:], m.value) {
			dst = dst[:end]
		}
	}
	return append(dst, '}'), nil
}

// isZero reports whether a value says nothing. A pointer to an empty string does.
func isZero(value []byte, v any) bool {
	switch string(value) {
	case "null", "false", "{}":
		return true
	case `""`:
		_, pointer := v.(**string)
		return !pointer
	}
	return false
}

// decodeMembers reads an object.
func decodeMembers(data json.RawMessage, members []member) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	for _, m := range members {
		name, optional := strings.CutSuffix(m.name, "?")
		err := errMissing
		if raw := values[name]; raw != nil && string(raw) != "null" {
			err = decodeValue(raw, m.value)
		} else if optional {
			continue
		}
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	return nil
}

// appendValue appends the JSON of the value that v points to, null for one that is
// left out.
func appendValue(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case *string:
		return appendText(dst, *v), nil
	case **string:
		if *v != nil {
			return appendText(dst, **v), nil
		}
	case *[]byte:
		return appendText(dst, textOf(*v)), nil
	case *time.Time:
		if !v.IsZero() {
			return appendTime(dst, *v)
		}
	case *error:
		if *v != nil {
			return appendError(dst, *v)
		}
	case **acpclient.RequestPermissionRequest:
		if *v != nil && len((*v).Raw) > 0 {
			return appendReceived(dst, (*v).Raw), nil
		}
		return appendJSON(dst, v)
	case **acpclient.CreateElicitationRequest:
		if *v != nil && len((*v).Raw) > 0 {
			return appendReceived(dst, (*v).Raw), nil
		}
		return appendJSON(dst, v)
	default:
		return appendJSON(dst, v)
	}
	return append(dst, "null"...), nil
}

// decodeValue reads what appendValue has written. What is not parley's own follows the
// rules of the protocol.
func decodeValue(raw json.RawMessage, v any) (err error) {
	switch v := v.(type) {
	case *string:
		*v, err = decodeText(raw)
	case **string:
		*v = new(string)
		**v, err = decodeText(raw)
	case *[]byte:
		var s string
		s, err = decodeText(raw)
		*v = []byte(s)
	case *time.Time:
		err = json.Unmarshal(raw, v)
	case *error:
		*v, err = decodeError(raw)
	default:
		err = acpclient.Unmarshal(raw, v)
	}
	return err
}

// appendTime fails for a year that RFC 3339 does not have.
func appendTime(dst []byte, at time.Time) ([]byte, error) {
	dst, err := at.UTC().AppendText(append(dst, '"'))
	return append(dst, '"'), err
}
