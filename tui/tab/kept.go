package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
)

// Kept reports whether the tab's session goes on when parley ends.
func (t *Tab) Kept() bool { return t.Running() != "" }

// Running returns the id under which the tab's session runs in a host, "" if it does not.
func (t *Tab) Running() string {
	if l, open := t.live(); open {
		return l.Live.Running()
	}
	return ""
}

// Unsent returns the prompts that the session has not confirmed, each in a line.
func (t *Tab) Unsent() (all []string) {
	l, open := t.live()
	if !open {
		return nil
	}
	return app.Unsent(l.Session)
}

// far reports whether the session runs on another machine, and so its files are there.
func (t *Tab) far() bool {
	l, open := t.live()
	return open && l.Session.About().Far
}

// suspend stops parley as a shell does, or detaches from a session that goes on meanwhile.
func (t *Tab) suspend() tea.Cmd {
	if t.Kept() {
		return t.detach()
	}
	return send(Suspend{})
}

// detach detaches from a kept session and closes its tab, or quits if that is the only tab.
func (t *Tab) detach() tea.Cmd {
	if t.program.Tabs.Alone() {
		return send(Quit{Sure: true})
	}
	return t.program.Tabs.CloseTab(t)
}

// OfferRunning offers to attach to a session that runs in the tab's directory.
func (t *Tab) OfferRunning() tea.Cmd {
	running, cwd, ctx := t.program.Running, t.cwd, t.program.Context
	if running == nil {
		return nil
	}
	return t.address(inBackground(func() then {
		all, err := running(ctx)
		if err != nil {
			return nil // best effort
		}
		q := app.RunningQuestion(all, cwd, t.openAll)
		if q == nil {
			return nil
		}
		return func() tea.Cmd {
			if !t.typed {
				t.offer = t.ask(*q)
			}
			return nil
		}
	}))
}

// dropOffer closes or prevents the offer of [Tab.OfferRunning]: the user types instead.
func (t *Tab) dropOffer() {
	if t.typed = true; t.offer != nil {
		t.dialogs.Close(t.offer)
		t.offer = nil
	}
}
