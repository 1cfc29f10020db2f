package host

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/process"
	"parley/internal/session"
	"parley/internal/termtext"
)

// attention runs the user's command if a question was opened, a turn ended or the agent exited
// while no viewer is attached. Passing viewers do not count.
func (h *Host) attention(batch []conversation.Event) {
	if len(h.opt.Notify) == 0 {
		return
	}
	h.mu.Lock()
	watched := h.watched()
	h.mu.Unlock()
	if why := context.Cause(h.ctx); watched || errors.Is(why, errEnded) || errors.As(why, new(*app.MovedError)) {
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
		case conversation.AgentLost:
			h.notify("lost", "The agent exited")
		}
	}
}

const (
	// notifyTime limits how long the user's command may take, and lastNotifyTime how long once
	// the host must end.
	notifyTime     = 30 * time.Second
	lastNotifyTime = 3 * time.Second
	// mostAlerts limits the commands that run at the same time.
	mostAlerts = 8
)

// longestWord limits a text for the command, in bytes: the system starts no program with too
// long an environment.
const longestWord = 4 << 10

// bounded returns a text that fits the environment of a command.
func bounded(text string) string {
	return termtext.Head(termtext.Line(text), longestWord, "…")
}

// notify runs the user's command. If it fails, the transcript says so once.
func (h *Host) notify(event, text string) {
	select {
	case h.alerts <- struct{}{}:
	default:
		h.opt.Log.Warn("the command of notify is not run: too many of them still run", "event", event)
		return
	}
	st := h.status()
	cmd := exec.Command(h.opt.Notify[0], h.opt.Notify[1:]...)
	cmd.Dir = config.CommandDir()
	cmd.Env = append(os.Environ(),
		"PARLEY_SESSION="+st.ID, "PARLEY_EVENT="+event, "PARLEY_TITLE="+bounded(h.opt.Secrets.Text(st.Name())),
		"PARLEY_TEXT="+bounded(h.opt.Secrets.Text(text)), "PARLEY_CWD="+st.Cwd)
	var said lastLine
	cmd.Stderr, cmd.WaitDelay = &said, time.Second
	h.work.Go(func() {
		defer func() { <-h.alerts }()
		err := h.alert(cmd)
		if err == nil {
			h.mute.Store(false)
			return
		}
		h.opt.Log.Warn("the command of notify failed", "error", err, "stderr", said.line)
		if h.ctx.Err() == nil && !h.mute.Swap(true) {
			session.Post(h.session, session.AddNotice{
				Severity: acpclient.NoticeWarning, Title: "The command of [notify] failed",
				Detail: strings.TrimSpace(termtext.Line(err.Error()) + "\n" + said.line),
			})
		}
	})
}

// alert runs a command, and kills its process tree if it takes too long. The host waits for it
// before ending, since the alert may be about that.
func (h *Host) alert(cmd *exec.Cmd) error {
	ctx, cancel := context.WithTimeout(context.Background(), notifyTime)
	defer cancel()
	defer context.AfterFunc(h.ctx, func() {
		select {
		case <-time.After(lastNotifyTime):
			cancel()
		case <-ctx.Done():
		}
	})()
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
