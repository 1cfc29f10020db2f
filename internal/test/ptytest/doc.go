// Package ptytest drives a program as a user would: the program runs on a real
// pseudo-terminal, a terminal emulator draws its screen, and a test types, clicks and
// reads what is shown.
//
//	term := ptytest.Start(t, ptytest.Options{Cmd: []string{test.Parley(t), "--", "agent"}})
//	term.WaitFor("Ask anything")
//	term.Type("hello").Press("enter")
//	term.WaitFor("Hello to you")
//
// Rules:
//
//   - Nothing sleeps. The program's output wakes a wait, which sees only complete frames: what is drawn inside a synchronized update appears when that ends.
//   - There is no wait for "the program is idle": from outside, a program that has finished looks like one that has not begun. Wait for something on the screen.
//   - The program has an environment of its own: fresh home, fresh XDG directories.
//   - A process that the program leaves running fails the test.
package ptytest
