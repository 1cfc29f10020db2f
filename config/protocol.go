package config

import "slices"

// Protocol selects the versions of the Agent Client Protocol to offer an agent.
type Protocol string

// ProtocolV1 offers only version 1, ProtocolAuto the newest version that both sides
// support.
const (
	ProtocolV1   Protocol = "v1"
	ProtocolAuto Protocol = "auto"
)

// protocols lists the values in the order in which errors show them.
var protocols = []string{string(ProtocolV1), string(ProtocolAuto)}

// KnownProtocol reports whether word is a Protocol.
func KnownProtocol(word string) bool { return slices.Contains(protocols, word) }

// protocol reads an agent's protocol; "" if there is none.
func (t *table) protocol() Protocol {
	word := t.text("protocol")
	if t.has("protocol") && !KnownProtocol(word) {
		t.fail("protocol", didYouMean(word, protocols, "choices: v1, auto"), "cannot be %q", word)
		return ""
	}
	return Protocol(word)
}
