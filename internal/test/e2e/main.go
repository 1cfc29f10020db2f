//go:build unix

package e2e

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"testing"
)

// tapEnv names the file that a tap writes to: see command scripted.
const tapEnv = "PARLEY_TEST_TAP"

// pidFile is where a tap notes which process the agent is.
func pidFile(log string) string { return log + ".pid" }

// clientEnv names the socket of parley serve at which the program of the tests is a client.
const clientEnv = "PARLEY_TEST_CLIENT"

// runTests runs the tests.
func runTests(m *testing.M) {
	if path := os.Getenv(clientEnv); path != "" {
		c, err := greet(path)
		line := ""
		if err == nil {
			line, err = bufio.NewReader(c).ReadString('\n')
		}
		fmt.Println(line, err)
		os.Exit(0)
	}
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		// The tests mostly wait, above all for a user's pauses.
		_ = flag.Set("test.parallel", "8")
	}
	keepPathsShort()
	os.Exit(m.Run())
}

// keepPathsShort puts the tests' directories in /tmp, if possible: a long path leaves no
// room on the screen for what tests look for.
func keepPathsShort() {
	const short = "/tmp"
	dir, err := os.MkdirTemp(short, "parley-e2e-")
	if err != nil {
		return
	}
	_ = os.Remove(dir)
	_ = os.Setenv("TMPDIR", short)
}
