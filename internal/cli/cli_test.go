package cli

import (
	"bufio"
	"io"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The example configuration names no command that parley does not have.
func TestTheExampleNamesCommandsThatExist(t *testing.T) {
	text, err := os.ReadFile("../../config/example.toml")
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, command := range subcommands {
		have = append(have, command(&streams{}).Name())
	}
	named := regexp.MustCompile("`parley ([a-z][a-z-]*)").FindAllStringSubmatch(string(text), -1)
	if len(named) == 0 {
		t.Fatal("the example names no command: what is tested here?")
	}
	for _, m := range named {
		if !slices.Contains(have, m[1]) {
			t.Errorf("the example says \"parley %s\", and there are only %q", m[1], have)
		}
	}
}

// parley sessions lists, so it takes the flags of the list, as the guide says.
func TestSessionsTakesTheFlagsOfItsList(t *testing.T) {
	if cmd := sessionsCommand(&streams{}); cmd.Flags().Lookup("all") == nil || cmd.Flags().Lookup("json") == nil {
		t.Errorf("%s does not take --all and --json", cmd.Name())
	}
}

// The tour answers while its input stays open, as a client leaves it, and ends
// with it.
func TestDemoAgentSpeaksOnTheStandardStreams(t *testing.T) {
	in, toAgent := io.Pipe()
	fromAgent, out := io.Pipe()
	var complaints strings.Builder
	code := make(chan int, 1)
	go func() {
		code <- run(t.Context(), &streams{In: in, Out: out, Err: &complaints}, []string{"demo-agent"})
		_ = out.Close()
	}()
	if _, err := io.WriteString(toAgent, `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":1}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(fromAgent)
	if !lines.Scan() {
		t.Fatalf("no answer: %v", lines.Err())
	}
	if got := lines.Text(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":7,"result":{`) || !strings.Contains(got, `"protocolVersion":1`) {
		t.Errorf("answered %s", got)
	}
	if err := toAgent.Close(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		t.Errorf("said more: %s", lines.Text())
	}
	if got := <-code; got != exitOK || complaints.Len() > 0 {
		t.Errorf("exit code %d, said %q", got, complaints.String())
	}
}

// What is completed is there: a command or flag that is renamed takes its completion
// along.
func TestCompletionsAreOfCommandsThatThereAre(t *testing.T) {
	t.Parallel()
	root := Command()
	for name := range argumentsOf {
		if cmd, rest, err := root.Find(strings.Fields(name)); err != nil || len(rest) > 0 || cmd == root {
			t.Errorf("there is no command %q (%v)", name, err)
		}
	}
	for key := range valuesOf {
		name, flag, _ := strings.Cut(key, "--")
		cmd, rest, err := root.Find(strings.Fields(name))
		if err != nil || len(rest) > 0 {
			t.Errorf("there is no command %q (%v)", name, err)
			continue
		}
		if _, there := cmd.GetFlagCompletionFunc(flag); !there {
			t.Errorf("nothing completes %q of %q", flag, name)
		}
	}
}

// net/http logs to the standard logger: "Unsolicited response received on idle HTTP channel".
func TestLibrariesLogNothingToTheScreen(t *testing.T) {
	var logged strings.Builder
	before := log.Writer()
	log.SetOutput(&logged)
	defer log.SetOutput(before)
	if code := run(t.Context(), &streams{Out: io.Discard, Err: io.Discard}, []string{"version"}); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	log.Print("Unsolicited response received")
	if logged.Len() > 0 {
		t.Errorf("logged %q", &logged)
	}
}
