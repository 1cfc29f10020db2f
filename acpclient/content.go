package acpclient

import (
	"encoding/json"
	"slices"
)

// ContentType is the type of a content block.
type ContentType string

// The types that the protocol defines. A block of another type is kept in Raw.
const (
	ContentText         ContentType = "text"
	ContentImage        ContentType = "image"
	ContentAudio        ContentType = "audio"
	ContentResourceLink ContentType = "resource_link"
	ContentResource     ContentType = "resource"
)

// ContentBlock is one piece of displayable information in prompts, messages
// and tool calls (schema type ContentBlock; "Content" in the protocol's pages).
// Type says which of the fields matter.
type ContentBlock struct {
	Type ContentType `json:"type" acp:"required"`

	// Text is the text of a text block, Markdown or plain.
	Text string `json:"text,omitempty" acp:"of=text"`

	// Data is the base64 payload of an image or audio block.
	Data string `json:"data,omitempty" acp:"of=image|audio"`
	// MimeType is the type of the payload, or of the resource behind a link.
	MimeType string `json:"mimeType,omitempty" acp:"of=image|audio"`

	// URI is where a resource link points, or where an image came from.
	URI string `json:"uri,omitempty" acp:"of=resource_link"`
	// Name, Title and Description of a resource link, for people.
	Name        string `json:"name,omitempty" acp:"of=resource_link"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Size of the resource behind a link in bytes, if known.
	Size *int64 `json:"size,omitempty"`

	// Resource is the payload of an embedded resource.
	Resource *ResourceContents `json:"resource,omitempty" acp:"of=resource"`

	Annotations *Annotations `json:"annotations,omitempty"`
	Meta        Meta         `json:"_meta,omitempty"`

	// Raw is the whole block if its type is unknown.
	Raw json.RawMessage `json:"-"`
}

// ResourceContents is the payload of an embedded resource: text, or a blob in
// base64 (schema types TextResourceContents, BlobResourceContents).
type ResourceContents struct {
	URI      string  `json:"uri" acp:"required"`
	MimeType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     *string `json:"blob,omitempty"`
	Meta     Meta    `json:"_meta,omitempty"`
}

// Annotations are hints for the use and display of content (schema type
// Annotations).
type Annotations struct {
	// Audience lists whom the content is for; empty means everybody.
	Audience []Role `json:"audience,omitempty"`
	// LastModified is an ISO 8601 time.
	LastModified string `json:"lastModified,omitempty"`
	// Priority is between 0, optional, and 1, most important.
	Priority *float64 `json:"priority,omitempty"`
	Meta     Meta     `json:"_meta,omitempty"`
}

// ForUser reports whether the content is meant for the user.
func (a *Annotations) ForUser() bool {
	return a == nil || len(a.Audience) == 0 || slices.Contains(a.Audience, RoleUser)
}

// Role is a sender or recipient of messages (schema type Role).
type Role string

// The roles that the protocol defines.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// TextBlock returns a text block.
func TextBlock(text string) ContentBlock { return ContentBlock{Type: ContentText, Text: text} }

// ResourceLinkBlock returns a link to a resource. Every agent accepts links.
func ResourceLinkBlock(name, uri string) ContentBlock {
	return ContentBlock{Type: ContentResourceLink, Name: name, URI: uri}
}

// ImageBlock returns an image from data in base64. It needs the image prompt
// capability.
func ImageBlock(mimeType, data string) ContentBlock {
	return ContentBlock{Type: ContentImage, MimeType: mimeType, Data: data}
}

// TextResourceBlock returns an embedded text resource. It needs the embeddedContext
// prompt capability.
func TextResourceBlock(uri, mimeType, text string) ContentBlock {
	return ContentBlock{Type: ContentResource, Resource: &ResourceContents{URI: uri, MimeType: mimeType, Text: &text}}
}

// MarshalJSON encodes the fields of the block's type.
func (b ContentBlock) MarshalJSON() ([]byte, error) { return marshalUnion(b, b.Type, b.Raw) }

// MarshalJSON encodes the text or blob, an empty text without either.
func (r ResourceContents) MarshalJSON() ([]byte, error) {
	type plain ResourceContents
	if r.Text == nil && r.Blob == nil {
		r.Text = new(string)
	}
	return Marshal(plain(r))
}

// complete reports whether a decoded block is of a known type and has its content. If
// not, decodeVariant keeps its JSON.
func (b *ContentBlock) complete() bool {
	return isOf(b, string(b.Type)) && (b.Type != ContentResource || b.Resource != nil)
}

func (b *ContentBlock) decodeVariant(raw json.RawMessage) error {
	if raw[0] != '{' { // a bare string, as some agents send it
		text, err := decodeString(raw)
		*b = TextBlock(text)
		return err
	}
	*b = ContentBlock{}
	if err := decodePlain(raw, b); err != nil {
		return err
	}
	if !b.complete() {
		b.Raw = append(json.RawMessage(nil), raw...)
	}
	return nil
}
