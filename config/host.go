package config

import "time"

// Host configures sessions that run in a process of their own, kept sessions: closing
// the terminal does not end them.
type Host struct {
	// Keep runs all sessions in such processes, where [KeepsSessions].
	Keep bool
	// Idle is how long such a session may have no viewer and nothing to do before it ends.
	Idle time.Duration
}

// DefaultHost returns the default.
func DefaultHost() Host { return Host{Idle: 12 * time.Hour} }

// KeepsSessions reports whether parley can keep sessions on a system, a value of
// runtime.GOOS.
func KeepsSessions(system string) bool { return system != "windows" }

// Ineffective says which settings have no effect on a system, a value of runtime.GOOS,
// and why; "" if all have.
func (c *Config) Ineffective(system string) string {
	if KeepsSessions(system) || c.Host == DefaultHost() && len(c.NotifyCommand) == 0 {
		return ""
	}
	return "[host] and [notify] have no effect: kept sessions are not available on Windows"
}

// host reads [host].
func (t *table) host() Host {
	h := DefaultHost()
	in, ok := t.child("host")
	if !ok {
		return h
	}
	h.Keep = in.flag("keep")
	if text, ok := read[string](in, "idle", `a time such as "12h"`); ok {
		var err error
		switch h.Idle, err = time.ParseDuration(text); {
		case err != nil:
			in.fail("idle", `write hours and minutes, as in "1h30m"`, "cannot be %q", text)
		case h.Idle < time.Minute:
			in.fail("idle", "", `must be at least "1m"`)
		}
	}
	in.done()
	return h
}

// notifyCommand reads [notify].
func (t *table) notifyCommand() []string {
	const key, elsewhere = "notify", "[attention] sets the notifications of the terminal"
	if v, there := t.values[key]; there && kind(v) != "a table" {
		t.asked = append(t.asked, key)
		t.fail(key, elsewhere, "must be a table, not %s", kind(v))
		return nil
	}
	in, _ := t.child(key)
	in.hint = elsewhere
	command := in.program("command")
	in.done()
	return command
}
