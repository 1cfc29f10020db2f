package tab

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/internal/safetext"
	"parley/internal/store"
	"parley/tui/dialog"
)

// abandonedMsg are sessions of the directory that were never ended, the newest first.
type abandonedMsg []abandoned

type abandoned struct {
	id   store.ID
	name string
}

// maxAbandoned is how many sessions are offered at once.
const maxAbandoned = 8

// LookForAbandoned looks for sessions of the tab's directory that were never ended, and
// offers to go on with them.
func (t *Tab) LookForAbandoned() tea.Cmd {
	lib, cwd := t.program.Stored, t.cwd
	if lib == nil {
		return nil
	}
	return t.address(func() tea.Msg {
		ids, err := lib.Abandoned(cwd)
		if err != nil || len(ids) == 0 {
			return nil // it is an offer; that it cannot be made is no trouble of the person's
		}
		var found abandonedMsg
		for _, id := range ids[:min(len(ids), maxAbandoned)] {
			found = append(found, abandoned{id, firstPrompt(lib.Store, id)})
		}
		return found
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
const maxName = 200

// offerToGoOn asks whether to go on with sessions that were never ended.
func (t *Tab) offerToGoOn(found abandonedMsg) {
	names := make([]string, len(found))
	for i, a := range found {
		if names[i] = a.name; len(a.name) > maxName {
			names[i] = strings.ToValidUTF8(a.name[:maxName], "") + "…"
		}
	}
	goOn := func(these abandonedMsg) dialog.Do { return func() tea.Cmd { return send(these.open()) } }
	forget := dialog.Do(func() tea.Cmd { return t.forget(found) })
	if len(found) == 1 {
		t.desk.Ask(dialog.Confirmation{
			Title: "A session here was not ended",
			Text:  fmt.Sprintf("parley was stopped in the middle of it:\n\n%s", safetext.Block(names[0])),
			Choices: []dialog.Choice{
				{Name: "Go on with it", Do: goOn(found)},
				{Name: "Leave it", Do: forget},
			},
		})
		return
	}
	t.desk.Ask(dialog.Confirmation{
		Title: fmt.Sprintf("%d sessions here were not ended", len(found)),
		Text:  "parley was stopped in the middle of them:", Lines: names,
		Choices: []dialog.Choice{
			{Name: "Go on with all of them", Do: goOn(found)},
			{Name: "Go on with the first one", Do: goOn(found[:1])},
			{Name: "Leave them", Do: forget},
		},
	})
}

// open is the wish to open the sessions, and to show the newest.
func (a abandonedMsg) open() OpenAll {
	var all OpenAll
	for _, s := range slices.Backward(a) {
		all = append(all, Open{ID: s.id})
	}
	return all
}

// forget takes sessions out of those that were never ended.
func (t *Tab) forget(those abandonedMsg) tea.Cmd {
	lib := t.program.Stored
	return func() tea.Msg {
		for _, a := range those {
			if err := lib.Forget(a.id); err != nil {
				return ErrorMsg{Err: err}
			}
		}
		return nil
	}
}
