// Package supervise sees to it that nothing which an agent has started outlives
// parley, however parley ends.
//
// On Linux, parley starts itself once more. The process that the person has started
// becomes the supervisor: it hands signals on, waits, and ends as the other, the
// program, has ended. Both are subreapers: a process whose parent has ended returns
// to the program, or to the supervisor if the program is gone, so that a daemon that
// has left its parent, its group and its session is still found.
//
//   - When the program ends, orderly or killed (SIGKILL, SIGQUIT, a fatal error), the
//     supervisor kills all that is left below it, and gives the terminal back if the
//     program could not.
//   - When the supervisor is killed, the kernel sends the program SIGTERM. The program
//     ends orderly, and kills all that is left below it.
//   - When both are killed at once, the kernel kills the agents and the terminals'
//     commands (see proctree.Lead), but not what these have started.
//
// What was started for the person is spared: see proctree.SpareMark. What runs as
// another user, or was started by another program on somebody's behalf (a container,
// a systemd unit, a cron job), is out of reach.
//
// Elsewhere there is no supervisor: whatever ends parley without asking leaves
// behind what does not end by itself when its pipes and terminals are closed.
package supervise
