package conversation

import (
	"slices"
	"strings"
)

// announcement begins a message that says which mode is on.
const announcement = "[MODE_UPDATE] "

// Announced is the mode that a chunk of a message announces, and whether it
// announces one: the chunk says that and nothing else.
func (q Quirks) Announced(chunk string) (mode string, ok bool) {
	if len(q.AnnouncedModes) == 0 {
		return "", false
	}
	mode, ok = strings.CutPrefix(strings.TrimSpace(chunk), announcement)
	return mode, ok && slices.Contains(q.AnnouncedModes, mode)
}

// Safer reports whether a mode allows less than another, or may do so.
func (q Quirks) Safer(mode, than string) bool {
	return slices.Index(q.AnnouncedModes, mode) < slices.Index(q.AnnouncedModes, than)
}
