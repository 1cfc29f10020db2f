package config

import "slices"

// Protocol says which versions of the Agent Client Protocol an agent is offered.
type Protocol string

// The choices of a protocol: the first version, or the newest that both sides know.
const (
	ProtocolV1   Protocol = "v1"
	ProtocolAuto Protocol = "auto"
)

// protocols are the choices in the order in which they are told.
var protocols = []string{string(ProtocolV1), string(ProtocolAuto)}

// KnownProtocol reports whether a word is one of the choices.
func KnownProtocol(word string) bool { return slices.Contains(protocols, word) }

// protocol reads the choice of an agent, "" if there is none.
func (t *table) protocol() Protocol {
	word := t.text("protocol")
	if t.has("protocol") && !KnownProtocol(word) {
		t.fail("protocol", didYouMean(word, protocols, "choices: v1, auto"), "cannot be %q", word)
		return ""
	}
	return Protocol(word)
}
