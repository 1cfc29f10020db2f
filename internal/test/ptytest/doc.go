// Package ptytest drives a program as a person would: the program runs on a
// real pseudo-terminal, a terminal emulator draws its screen, and a test types,
// clicks and reads what is shown.
//
//	term := ptytest.Start(t, ptytest.Options{Cmd: []string{built.Parley(t), "--", "agent"}})
//	term.WaitFor("Ask anything")
//	term.Type("hello").Press("enter")
//	term.WaitFor("Hello to you")
//
// Rules of the house:
//
//   - Nothing sleeps. A wait is woken by the program's output and judges whole
//     frames: what is drawn inside a synchronized update is seen when it ends.
//   - There is no wait for "the program is quiet now": from outside a program
//     that has finished cannot be told from one that has not begun. Wait for
//     something that the screen shows.
//   - The program's environment is its own: fresh home, fresh XDG folders.
//   - What the program leaves running fails the test.
package ptytest
