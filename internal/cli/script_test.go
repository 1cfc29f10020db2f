package cli

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/registry"
	"parley/internal/store"
	"parley/internal/test"
)

// TestScripts runs parley from a command line: see testdata/script. It is the program as
// it is shipped, for the scripts start it several hundred times and the race detector
// makes each start ten times as long. Its streams are no terminals.
func TestScripts(t *testing.T) {
	t.Parallel()
	programs := t.TempDir()
	for name, path := range map[string]string{"parley": test.Parley(t), "scripted": test.Scripted(t)} {
		if err := os.Symlink(path, filepath.Join(programs, name)); err != nil {
			t.Fatal(err)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("PATH", programs+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("ESC", "\x1b")
			env.Setenv("HOME", home)
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(home, ".local", "state"))
			env.Setenv("XDG_DATA_HOME", filepath.Join(home, ".local", "share"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(home, ".cache"))
			env.Values[publisherKey{}] = &publisher{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "interrupted": interrupted, "stored": stored, "publish": publish, "unpublish": unpublish, "listens": listens},
	})
}

// exits runs a program as exec does, and checks its exit code:
//
//	exits CODE PROGRAM ARG...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var ended *exec.ExitError
	got := 0
	switch {
	case errors.As(err, &ended):
		got = ended.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("the exit code is %d, want %d", got, want)
	}
}

// listens has an agent listen at a port of this machine until the script ends, and keeps
// its address in an environment variable, as in ws://$ADDRESS:
//
//	listens VARIABLE PROGRAM ARG...
func listens(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: listens VARIABLE PROGRAM ARG...")
	}
	program := args[1]
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if found, err := exec.LookPath(filepath.Join(dir, args[1])); err == nil {
			program = found
			break
		}
	}
	server := &test.Server{Agent: test.Command([]string{"HOME=" + ts.Getenv("HOME")}, program, args[2:]...)}
	address, stop, err := server.Listen()
	ts.Check(err)
	ts.Defer(stop)
	ts.Setenv(args[0], address)
}

// stored stores a session of one turn in a directory, as parley would have, and keeps its
// id in an environment variable. It was written so many days ago. More prompts follow.
//
//	stored VARIABLE DIR DAYS PROMPT ANSWER [PROMPT...]
func stored(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 5 {
		ts.Fatalf("usage: stored VARIABLE DIR DAYS PROMPT ANSWER [PROMPT...]")
	}
	dir := filepath.Join(ts.Getenv("XDG_STATE_HOME"), "parley", "sessions")
	days, err := strconv.Atoi(args[2])
	ts.Check(err)
	at := time.Now().AddDate(0, 0, -days)
	l, err := store.New(dir).Create(store.Meta{Agent: "mine", Cwd: args[1], Created: at})
	ts.Check(err)
	ts.Check(l.Append([]conversation.Event{
		conversation.AgentReady{Info: &acpclient.InitializeResponse{AgentInfo: &acpclient.Implementation{Name: "mine", Title: "My agent"}}},
		conversation.SessionOpened{ID: "agents-own-id", Cwd: args[1]},
		conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(args[3])}, At: at},
		conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: args[4]},
		conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: at},
	}))
	for _, more := range args[5:] {
		ts.Check(l.Append([]conversation.Event{conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(more)}, At: at}}))
	}
	ts.Check(l.Close())
	ts.Check(os.Chtimes(filepath.Join(dir, string(l.ID())+".jsonl"), at, at))
	ts.Setenv(args[0], string(l.ID()))
}

// interrupted runs a program as exec does, interrupts it a number of times when its
// output has some text, and checks its exit code. It interrupts again when the error
// output has said something of the time before:
//
//	interrupted CODE TIMES TEXT PROGRAM ARG...
func interrupted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: interrupted CODE TIMES TEXT PROGRAM ARG...")
	}
	code, err := strconv.Atoi(args[0])
	ts.Check(err)
	times, err := strconv.Atoi(args[1])
	ts.Check(err)
	program := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if program, err = exec.LookPath(filepath.Join(dir, args[3])); err == nil {
			break
		}
	}
	ts.Check(err)
	cmd := exec.Command(program, args[4:]...)
	cmd.Dir = ts.Getenv("WORK")
	for _, name := range []string{"PATH", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	told, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	var all bytes.Buffer
	lines, words := bufio.NewReader(io.TeeReader(out, &all)), bufio.NewReader(told)
	for line := ""; !strings.Contains(line, args[2]) && err == nil; {
		line, err = lines.ReadString('\n')
	}
	for range times {
		ts.Check(cmd.Process.Signal(os.Interrupt))
		_, _ = words.ReadString('\n')
	}
	_, _ = io.Copy(io.Discard, lines)
	_, _ = io.Copy(io.Discard, words)
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != code {
		ts.Fatalf("the exit code is %d, want %d", got, code)
	}
	_, _ = ts.Stdout().Write(all.Bytes())
}

// publisher serves a registry of one script over TLS.
type publisher struct {
	mu    sync.Mutex
	files map[string][]byte
}

func (p *publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	data, ok := p.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(data)
}

type publisherKey struct{}

// publish publishes a registry with the agents of a file, in which $URL is where it is,
// $PLATFORM is this machine's and $SHA256 is the digest of /agent.tar.gz there: an
// archive of the program bin/agent, which follows a script. parley is configured for
// it the first time.
//
//	publish FILE
func publish(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: publish FILE")
	}
	archive := programArchive(ts)
	p, _ := ts.Value(publisherKey{}).(*publisher)
	if ts.Getenv("URL") == "" {
		s := httptest.NewTLSServer(p)
		ts.Defer(s.Close)
		ts.Setenv("URL", s.URL)
		certificate := ts.MkAbs("certificate.pem")
		ts.Check(os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
		ts.Setenv("SSL_CERT_FILE", certificate)
		dir := ts.Getenv("XDG_CONFIG_HOME") + "/parley"
		ts.Check(os.MkdirAll(dir, 0o700))
		ts.Check(os.WriteFile(dir+"/config.toml", fmt.Appendf(nil, "registry = %q\n", s.URL+"/registry.json"), 0o600))
	}
	sum := sha256.Sum256(archive)
	text := strings.NewReplacer("$URL", ts.Getenv("URL"), "$SHA256", hex.EncodeToString(sum[:]), "$PLATFORM", registry.Platform(runtime.GOOS, runtime.GOARCH)).
		Replace(ts.ReadFile(args[0]))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files = map[string][]byte{"/registry.json": []byte(text), "/agent.tar.gz": archive}
}

// unpublish has the publisher serve nothing any more.
func unpublish(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: unpublish")
	}
	p, _ := ts.Value(publisherKey{}).(*publisher)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files = nil
}

func programArchive(ts *testscript.TestScript) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	const program = "#!/bin/sh\nexec scripted \"$@\"\n"
	ts.Check(w.WriteHeader(&tar.Header{Name: "bin/agent", Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(program))}))
	_, err := w.Write([]byte(program))
	ts.Check(err)
	ts.Check(w.Close())
	ts.Check(z.Close())
	return out.Bytes()
}
