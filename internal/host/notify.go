package host

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"

	"parley/internal/conversation"
	"parley/internal/process"
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
	if !alone || h.ctx.Err() != nil {
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

const (
	// notifyTime is how long the command of the user's may take.
	notifyTime = 30 * time.Second
	// mostAlerts is how many of them run at the same time.
	mostAlerts = 8
)

// notify runs the command of the user's. What it prints and how it ends is of no interest.
func (h *Host) notify(event, text string) {
	select {
	case h.alerts <- struct{}{}:
	default:
		h.opt.Log.Warn("the command of notify is not run: too many of them still run", "event", event)
		return
	}
	st := h.status()
	cmd := exec.Command(h.opt.Notify[0], h.opt.Notify[1:]...)
	cmd.Dir = st.Cwd
	cmd.Env = append(os.Environ(),
		"PARLEY_SESSION="+st.ID, "PARLEY_EVENT="+event, "PARLEY_TITLE="+termtext.Line(h.opt.Secrets.Text(st.Name())),
		"PARLEY_TEXT="+termtext.Line(h.opt.Secrets.Text(text)), "PARLEY_CWD="+st.Cwd)
	h.work.Go(func() {
		defer func() { <-h.alerts }()
		if err := h.alert(cmd); err != nil {
			h.opt.Log.Warn("the command of notify failed", "error", err)
		}
	})
}

// alert runs a command, and ends it and what it has started when it takes too long or the
// host ends.
func (h *Host) alert(cmd *exec.Cmd) error {
	ctx, cancel := context.WithTimeout(h.ctx, notifyTime)
	defer cancel()
	process.Lead(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	tree := process.NewTree(cmd.Process.Pid)
	h.own.Store(cmd.Process.Pid, true)
	defer h.own.Delete(cmd.Process.Pid)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		tree.Reaped()
		return err
	case <-ctx.Done():
		err := errors.Join(ctx.Err(), tree.Kill())
		<-ended
		return err
	}
}
