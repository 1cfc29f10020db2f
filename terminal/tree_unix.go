//go:build unix && !linux

package terminal

import "golang.org/x/sys/unix"

// tree is the family of one command. Without /proc only the leader's process
// group is known.
type tree struct{ leader int }

// members lists processes that signalling the group does not reach.
func (t *tree) members() []int { return nil }

func (t *tree) alive() bool { return unix.Kill(-t.leader, 0) == nil }
