package acpclient

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"parley/internal/process"
)

// agentRole names the environment variable that makes the test binary an agent.
const agentRole = "ACPCLIENT_TEST_AGENT"

// linger is how long a process that is to be killed lives if nobody does it.
const linger = 2 * time.Minute

// playAgent is the program of an agent, mostly of a bad one.
func playAgent(role string) {
	switch role {
	case "friendly":
		serveFriendly()
	case "exit at once":
		fmt.Fprintln(os.Stderr, "no API key")
		os.Exit(3)
	case "silent":
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "closes stdout":
		_ = os.Stdout.Close()
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "leaves a child": // that holds stdout and stderr
		startChild("lingers", false)
		os.Exit(0)
	case "leaves a child in a session of its own":
		startChild("lingers", true)
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "lingers":
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
		<-time.After(linger)
	case "ignores everything":
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
		fmt.Println("ready")
		<-time.After(linger)
	case "ends on SIGTERM":
		term := make(chan os.Signal, 1)
		signal.Notify(term, syscall.SIGTERM)
		fmt.Println("ready")
		<-term
		fmt.Println("terminated")
	case "half a line":
		fmt.Print(chunk("whole") + "\n" + chunk("half")[:50])
	case "floods stderr":
		for i := range 10 << 20 / 100 {
			fmt.Fprintf(os.Stderr, "%0100d", i)
		}
		fmt.Fprint(os.Stderr, "the very end")
	case "last words":
		for i := range 400 { // well within a pipe
			fmt.Println(chunk(fmt.Sprint(i)))
		}
	}
}

// startChild starts this program again and tells its id.
func startChild(role string, ownSession bool) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), agentRole+"="+role)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if ownSession {
		process.Lead(cmd)
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(cmd.Process.Pid)
}

// serveFriendly is the smallest agent that is one.
func serveFriendly() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var m message
		_ = json.Unmarshal(in.Bytes(), &m)
		result := `{}`
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":1}`
		case "session/new":
			result = `{"sessionId":"one"}`
		case "session/prompt":
			for _, word := range []string{"Hello", ", ", "gopher"} {
				fmt.Println(strings.Replace(chunk(word), `"s"`, `"one"`, 1))
			}
			result = `{"stopReason":"end_turn"}`
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
	}
}
