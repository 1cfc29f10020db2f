package host

import (
	"context"
	"os"
	"os/exec"
	"time"

	"parley/internal/conversation"
	"parley/internal/termtext"
)

// attention runs the command of the user's when a question was opened, or a turn ended, and
// nobody looks on.
func (h *Host) attention(batch []conversation.Event) {
	if len(h.opt.Notify) == 0 {
		return
	}
	h.mu.Lock()
	alone := len(h.viewers) == 0
	h.mu.Unlock()
	if !alone {
		return
	}
	for _, e := range batch {
		switch e := e.(type) {
		case conversation.PermissionReferred:
			h.notify("question", "The agent asks for permission")
		case conversation.PermissionOpened:
			if !e.Judging {
				h.notify("question", "The agent asks for permission")
			}
		case conversation.ElicitationOpened:
			h.notify("question", e.Request.Message)
		case conversation.TurnEnded:
			h.notify("turn", "The agent has ended its turn")
		}
	}
}

// notifyTime is how long the command of the user's may take.
const notifyTime = 30 * time.Second

// notify runs the command of the user's. What it prints and how it ends is of no interest.
func (h *Host) notify(event, text string) {
	st := h.status()
	h.work.Go(func() {
		ctx, cancel := context.WithTimeout(h.ctx, notifyTime)
		defer cancel()
		cmd := exec.CommandContext(ctx, h.opt.Notify[0], h.opt.Notify[1:]...)
		cmd.Dir = st.Cwd
		cmd.Env = append(os.Environ(),
			"PARLEY_SESSION="+st.ID, "PARLEY_EVENT="+event, "PARLEY_TITLE="+termtext.Line(st.Name()),
			"PARLEY_TEXT="+termtext.Line(text), "PARLEY_CWD="+st.Cwd)
		if err := cmd.Run(); err != nil {
			h.opt.Log.Warn("the command of notify failed", "error", err)
		}
	})
}
