package app

import (
	"fmt"
	"slices"
	"strings"

	"parley/internal/conversation"
	"parley/internal/store"
)

const (
	mostUnended     = 8   // sessions that are offered at once
	unendedMaxBytes = 200 // of the name of one
)

// FindUnended asks whether to continue sessions of a directory that were never ended,
// because parley was stopped; nil if there are none.
func FindUnended(lib *store.Library, cwd string) (*Question, error) {
	ids, err := lib.Interrupted(cwd)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	ids = ids[:min(len(ids), mostUnended)] // the newest first
	names := make([]string, len(ids))
	for i, id := range ids {
		if names[i] = firstPrompt(lib.Store, id); len(names[i]) > unendedMaxBytes {
			names[i] = strings.ToValidUTF8(names[i][:unendedMaxBytes], "") + "…"
		}
	}
	resume := func(ids []store.ID) (open []Open) {
		for _, id := range slices.Backward(ids) { // the newest is shown last
			open = append(open, Open{ID: id})
		}
		return open
	}
	forget := func() (Outcome, error) {
		for _, id := range ids {
			if err := lib.Forget(id); err != nil {
				return Outcome{}, err
			}
		}
		return Outcome{}, nil
	}
	if len(ids) == 1 {
		return &Question{
			Title: "An interrupted session", Text: "parley stopped during it:", Lines: names,
			Choices: []Choice{{Name: "Resume it", Open: resume(ids)}, {Name: "Not now", Do: forget}},
		}, nil
	}
	return &Question{
		Title: fmt.Sprintf("%d interrupted sessions", len(ids)), Text: "parley stopped during them:", Lines: names,
		Choices: []Choice{
			{Name: "Resume all", Open: resume(ids)},
			{Name: "Resume the first", Open: resume(ids[:1])},
			{Name: "Not now", Do: forget},
		},
	}, nil
}

// firstPrompt is the first line of a stored session's first prompt, its id if it has none.
// It reads no more of the log.
func firstPrompt(s *store.Store, id store.ID) string {
	for e, err := range s.Events(id) {
		if err != nil {
			break
		}
		if sent, ok := e.(conversation.PromptSent); ok && len(sent.Prompt) > 0 {
			line, _, _ := strings.Cut(strings.TrimSpace(sent.Prompt[0].Text), "\n")
			return line
		}
	}
	return string(id)
}
