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

// KeepsSessions reports whether parley can keep sessions on a system, a value of
// runtime.GOOS.
func KeepsSessions(system string) bool { return system != "windows" }

// Ineffective says which settings have no effect on a system, a value of runtime.GOOS,
// and why; "" if all have.
func (c *Config) Ineffective(system string) string {
	if KeepsSessions(system) || c.Host == Default(nil).Host && len(c.NotifyCommand) == 0 {
		return ""
	}
	return "[host] and [notify] have no effect: kept sessions are not available on Windows"
}
