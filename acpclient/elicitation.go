package acpclient

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// ElicitationID identifies a URL elicitation.
type ElicitationID string

// ElicitationMode is how to ask: in a form or at a URL.
type ElicitationMode string

// The modes that the protocol defines.
const (
	ElicitForm ElicitationMode = "form"
	ElicitURL  ElicitationMode = "url"
)

// CreateElicitationRequest asks the user for input, in a form or at a URL (method
// elicitation/create). Its scope is a session, a tool call in it, or a request outside
// of any session.
type CreateElicitationRequest struct {
	Mode    ElicitationMode `json:"mode"`
	Message string          `json:"message" acp:"required"`

	SessionID  SessionID  `json:"sessionId,omitempty"`
	ToolCallID ToolCallID `json:"toolCallId,omitempty"`
	RequestID  *RequestID `json:"requestId,omitempty"`

	// RequestedSchema is the form of ElicitForm.
	RequestedSchema *ElicitationSchema `json:"requestedSchema,omitempty"`

	// ElicitationID and URL of ElicitURL.
	ElicitationID ElicitationID `json:"elicitationId,omitempty"`
	URL           string        `json:"url,omitempty"`

	Meta Meta `json:"_meta,omitempty"`

	// Raw is the whole request as received. It is not encoded.
	Raw json.RawMessage `json:"-"`
}

func (r *CreateElicitationRequest) decodeVariant(raw json.RawMessage) error {
	if err := decodePlain(raw, r); err != nil {
		return err
	}
	r.Raw = bytes.Clone(raw)
	return nil
}

// ElicitationSchema describes a form (schema type ElicitationSchema).
type ElicitationSchema struct {
	Type        string `json:"type,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Properties are the fields of the form, in the agent's order.
	Properties ElicitationProperties `json:"properties"`
	Required   []string              `json:"required,omitempty"`
	Meta       Meta                  `json:"_meta,omitempty"`
}

// ElicitationProperties are named fields in order, a JSON object on the wire.
type ElicitationProperties []ElicitationProperty

// ElicitationProperty is one field of a form.
type ElicitationProperty struct {
	Name   string
	Schema ElicitationPropertySchema
}

// ElicitationPropertyType is the type of a field.
type ElicitationPropertyType string

// The types that the protocol defines. A field of another type is kept in Raw.
const (
	PropertyString  ElicitationPropertyType = "string"
	PropertyNumber  ElicitationPropertyType = "number"
	PropertyInteger ElicitationPropertyType = "integer"
	PropertyBoolean ElicitationPropertyType = "boolean"
	PropertyArray   ElicitationPropertyType = "array"
)

// ElicitationPropertySchema describes one field (schema type
// ElicitationPropertySchema). Type says which of the others matter.
type ElicitationPropertySchema struct {
	Type        ElicitationPropertyType `json:"type" acp:"required"`
	Title       string                  `json:"title,omitempty"`
	Description string                  `json:"description,omitempty"`

	// Strings. Enum or OneOf make it a choice of one.
	MinLength *uint32      `json:"minLength,omitempty"`
	MaxLength *uint32      `json:"maxLength,omitempty"`
	Pattern   string       `json:"pattern,omitempty"`
	Format    string       `json:"format,omitempty"` // email, uri, date, date-time
	Enum      []string     `json:"enum,omitempty"`
	OneOf     []EnumOption `json:"oneOf,omitempty"`

	// Numbers and integers, both bounds inclusive.
	Minimum *float64 `json:"minimum,omitempty"`
	Maximum *float64 `json:"maximum,omitempty"`

	// Arrays: a choice of several.
	MinItems *uint64           `json:"minItems,omitempty"`
	MaxItems *uint64           `json:"maxItems,omitempty"`
	Items    *MultiSelectItems `json:"items,omitempty"`

	// Default is a value of the field's type.
	Default json.RawMessage `json:"default,omitempty"`
	Meta    Meta            `json:"_meta,omitempty"`

	// Raw is the whole schema of the field if its type is unknown.
	Raw json.RawMessage `json:"-"`
}

// EnumOption is a value with a title (schema type EnumOption).
type EnumOption struct {
	Const       string `json:"const" acp:"required"`
	Title       string `json:"title" acp:"required"`
	Description string `json:"description,omitempty"`
	Meta        Meta   `json:"_meta,omitempty"`
}

// MultiSelectItems are the values of a choice of several: plain, or titled
// (schema types StringMultiSelectItems, TitledMultiSelectItems).
type MultiSelectItems struct {
	Type  string       `json:"type,omitempty"`
	Enum  []string     `json:"enum,omitempty"`
	AnyOf []EnumOption `json:"anyOf,omitempty"`
	Meta  Meta         `json:"_meta,omitempty"`
}

// Choices returns the values of a choice of one or several with their titles, nil for
// other fields.
func (p *ElicitationPropertySchema) Choices() []EnumOption {
	titled, plain := p.OneOf, p.Enum
	if p.Type == PropertyArray && p.Items != nil {
		titled, plain = p.Items.AnyOf, p.Items.Enum
	}
	if len(titled) > 0 {
		return titled
	}
	var out []EnumOption
	for _, v := range plain {
		out = append(out, EnumOption{Const: v, Title: v})
	}
	return out
}

// MarshalJSON encodes an object.
func (ps ElicitationProperties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range ps {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := Marshal(p.Name)
		b.Write(name)
		b.WriteByte(':')
		schema, err := Marshal(p.Schema)
		if err != nil {
			return nil, err
		}
		b.Write(schema)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (ps *ElicitationProperties) decodeVariant(raw json.RawMessage) error {
	if raw[0] != '{' {
		return wrongKind{raw[0], "an object"}
	}
	*ps = nil
	for key, value := range Members(raw) {
		p := ElicitationProperty{Name: string(key)}
		if decode(value, &p.Schema) != nil {
			p.Schema = ElicitationPropertySchema{Raw: bytes.Clone(value)}
		}
		*ps = append(*ps, p)
	}
	return nil
}

func (p *ElicitationPropertySchema) decodeVariant(raw json.RawMessage) error {
	if err := decodePlain(raw, p); err != nil {
		return err
	}
	if !p.takes(p.Default) {
		p.Default = nil
	} else if list := []string(nil); p.Type == PropertyArray {
		_ = Unmarshal(p.Default, &list) // leaves out bad items
		p.Default, _ = Marshal(list)
	}
	switch p.Type {
	case PropertyString, PropertyNumber, PropertyInteger, PropertyBoolean:
		return nil
	case PropertyArray:
		if p.Items != nil && (len(p.Items.Enum) > 0 || len(p.Items.AnyOf) > 0) {
			return nil
		}
	}
	p.Raw = bytes.Clone(raw)
	return nil
}

// takes reports whether a value is of the field's type.
func (p *ElicitationPropertySchema) takes(value json.RawMessage) bool {
	var fits any
	switch p.Type {
	case PropertyString:
		fits = new(string)
	case PropertyNumber:
		fits = new(float64)
	case PropertyInteger:
		return decodeInteger(value, reflect.ValueOf(new(int64)).Elem()) == nil
	case PropertyBoolean:
		fits = new(bool)
	case PropertyArray:
		fits = new([]json.RawMessage)
	default:
		return true // an unknown type may take anything
	}
	return json.Unmarshal(value, fits) == nil
}

// MarshalJSON encodes the schema of the field; one of unknown type stays as received.
func (p ElicitationPropertySchema) MarshalJSON() ([]byte, error) {
	if len(p.Raw) > 0 {
		return p.Raw, nil
	}
	type plain ElicitationPropertySchema
	return Marshal(plain(p))
}

// ElicitationAction is how the user responded.
type ElicitationAction string

// The actions that the protocol defines. Declining is an answer; cancelling dismisses
// the question without one.
const (
	ElicitAccept  ElicitationAction = "accept"
	ElicitDecline ElicitationAction = "decline"
	ElicitCancel  ElicitationAction = "cancel"
)

// CreateElicitationResponse is the user's answer.
type CreateElicitationResponse struct {
	Action ElicitationAction `json:"action" acp:"required"`
	// Content has the values of an accepted form by name: strings, float64 or int64
	// numbers, booleans and []string.
	Content map[string]any `json:"content,omitempty"`
	Meta    Meta           `json:"_meta,omitempty"`
}

// CompleteElicitationNotification says that a URL elicitation is complete (notification
// elicitation/complete).
type CompleteElicitationNotification struct {
	ElicitationID ElicitationID `json:"elicitationId" acp:"required"`
	Meta          Meta          `json:"_meta,omitempty"`
}
