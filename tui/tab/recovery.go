// This file offers to go on with sessions that were never ended, because parley was
// stopped in the middle of them.

package tab

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/internal/store"
	"parley/internal/termtext"
	"parley/tui/dialog"
)

// left is a session that was never ended.
type left struct {
	id   store.ID
	name string
}

// offer offers to go on with sessions of a directory, the newest first.
type offer struct {
	tab *Tab
	lib *store.Library
	// open opens sessions, of which the last is shown.
	open func([]store.ID) tea.Cmd
}

// maxAbandoned is how many sessions are offered at once.
const maxAbandoned = 8

// offerRecovery looks for sessions of a directory that were never ended, and offers to go on with
// them. open opens some of them, and shows the last.
func offerRecovery(t *Tab, lib *store.Library, cwd string, open func([]store.ID) tea.Cmd) tea.Cmd {
	o := &offer{t, lib, open}
	return beside(func() then {
		ids, err := lib.Abandoned(cwd)
		if err != nil || len(ids) == 0 {
			return nil // it is an offer; that it cannot be made is no trouble of the person's
		}
		var found []left
		for _, id := range ids[:min(len(ids), maxAbandoned)] {
			found = append(found, left{id, firstPrompt(lib.Store, id)})
		}
		return func() tea.Cmd { o.ask(found); return nil }
	})
}

// firstPrompt is how a stored session began, its id if it began with no prompt. No more
// of the log is read than that.
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

// maxName bounds the name of a session in a question, in bytes.
const abandonedMaxName = 200

// ask asks whether to go on with sessions that were never ended.
func (o *offer) ask(found []left) {
	names := make([]string, len(found))
	for i, a := range found {
		if names[i] = a.name; len(a.name) > abandonedMaxName {
			names[i] = strings.ToValidUTF8(a.name[:abandonedMaxName], "") + "…"
		}
	}
	goOn := func(these []left) dialog.Do { return func() tea.Cmd { return o.open(oldestFirst(these)) } }
	forget := dialog.Do(func() tea.Cmd { return o.forget(found) })
	if len(found) == 1 {
		o.tab.ask(dialog.Confirmation{
			Title: "A session here was not ended",
			Text:  fmt.Sprintf("parley was stopped in the middle of it:\n\n%s", termtext.Block(names[0])),
			Choices: []dialog.Choice{
				{Name: "Go on with it", Do: goOn(found)},
				{Name: "Leave it", Do: forget},
			},
		})
		return
	}
	o.tab.ask(dialog.Confirmation{
		Title: fmt.Sprintf("%d sessions here were not ended", len(found)),
		Text:  "parley was stopped in the middle of them:", Lines: names,
		Choices: []dialog.Choice{
			{Name: "Go on with all of them", Do: goOn(found)},
			{Name: "Go on with the first one", Do: goOn(found[:1])},
			{Name: "Leave them", Do: forget},
		},
	})
}

// oldestFirst are the sessions, so that the newest is shown.
func oldestFirst(these []left) []store.ID {
	var ids []store.ID
	for _, s := range slices.Backward(these) {
		ids = append(ids, s.id)
	}
	return ids
}

// forget takes sessions out of those that were never ended.
func (o *offer) forget(those []left) tea.Cmd {
	return func() tea.Msg {
		for _, s := range those {
			if err := o.lib.Forget(s.id); err != nil {
				return ErrorMsg{Err: err}
			}
		}
		return nil
	}
}
