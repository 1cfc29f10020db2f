// This file sees to it that nothing which an agent has started outlives
// parley, however parley ends.
//
// On Linux the process is a subreaper while it works: a process whose parent has
// ended becomes its child, so that a daemon that has left its parent, its group and
// its session is still found.
//
//   - When parley ends by itself, it kills all that is left below it.
//   - When it is killed (SIGKILL, SIGQUIT, a fatal error), a shell does that, which
//     has waited for the end of a pipe that only parley holds open. It finds what
//     agents and terminals have started by the mark in their environment (see
//     OwnerMark).
//   - When it was asked to end and has not after some seconds, it kills itself.
//
// What was started for the person is spared: see SpareMark. What runs as
// another user, or was started by another program on somebody's behalf (a container,
// a systemd unit, a cron job), is out of reach; so is, when parley was killed, what
// has left its parents and has another environment.
//
// Elsewhere nothing watches: whatever ends parley without asking leaves behind what
// does not end by itself when its pipes and terminals are closed.

package process
