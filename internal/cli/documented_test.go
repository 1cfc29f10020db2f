//go:build unix

package cli

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/docs"
	"parley/internal/test"
)

// documentedSetup gives every command of the documents something to work on: agents, which ask as
// Claude does where they are to work, a recording's folder, a repository with changes and a session.
const documentedSetup = `set -e
mkdir -p "$HOME/.config/parley" "$HOME/src/project" "$HOME/.local/share/bash-completion/completions" bin
cat > bin/my-agent <<END
#!/bin/sh
test -z "\$WORKS" || exec "$SCRIPTED" "$PWD/bin/works"
exec parley demo-agent
END
cat > bin/works <<END
handshake
expect session/prompt
request session/request_permission {"sessionId": "\${session}", "toolCall": {"toolCallId": "e", "title": "Write \${cwd}/made.txt", "kind": "edit", "status": "pending", "locations": [{"path": "\${cwd}/made.txt"}], "rawInput": {"file_path": "\${cwd}/made.txt", "content": "made"}, "content": [{"type": "diff", "path": "\${cwd}/made.txt", "oldText": null, "newText": "made"}]}, "options": [{"optionId": "allow_always", "name": "Always Allow", "kind": "allow_always"}, {"optionId": "allow", "name": "Allow", "kind": "allow_once"}, {"optionId": "reject", "name": "Reject", "kind": "reject_once"}]} as edit
await edit contains "allow"
save \${cwd}/made.txt "made"
request session/request_permission {"sessionId": "\${session}", "toolCall": {"toolCallId": "t", "title": "go test ./...", "kind": "execute", "status": "pending", "rawInput": {"command": "go test ./...", "description": "Run the tests"}}, "options": [{"optionId": "allow_always", "name": "Always Allow", "kind": "allow_always"}, {"optionId": "allow", "name": "Allow", "kind": "allow_once"}, {"optionId": "reject", "name": "Reject", "kind": "reject_once"}]} as test
await test contains "allow"
say It works.
end-turn
END
printf '#!/bin/sh\ntest -s made.txt\n' > bin/go
chmod +x bin/my-agent bin/go
cat > "$HOME/.config/parley/config.toml" <<END
default_agent = "claude"
[agents.claude]
command = "my-agent"
[agents.codex]
command = "my-agent"
END
git init -q
git config user.name Ada
git config user.email ada@example.com
mkdir .parley
printf '[rules]\nallow = ["read"]\n' > .parley/config.toml
echo one > poem.txt
echo notes > notes.txt
git add poem.txt notes.txt .parley
git commit -q -m first
echo more > notes.txt
echo "What is this?" > first.md
echo "And that?" > second.md
parley run --worktree=wren "What is this?" > worktree.txt
echo more > ../project.worktrees/wren/poem.txt
parley run --record session.jsonl "What are polished spoons?" > record.txt
parley run --detach "What is this?" > detached.txt
`

// needs maps the start of a command to why it may fail here: it wants a terminal or the
// network. All others succeed.
var needs = map[string]string{
	"parley ":                 "(no|not a) terminal|session.jsonl already exists",
	"parley agents install":   "(no|not a) terminal",
	"parley replay session":   "(no|not a) terminal",
	"parley replay --speed 4": "(no|not a) terminal",
	"parley agents login":     "no sign-in method",
	"parley run --continue":   "cannot resume sessions", // the tour keeps none
	"parley sessions -a":      "lists no sessions",      // nor does the scripted agent
	"parley agents refresh":   "127.0.0.1:1",
	"parley doctor -- ws":     "127.0.0.1:1",
}

var (
	shellBlocks = regexp.MustCompile("(?s)```sh\n(.*?)```")
	subcommand  = regexp.MustCompile(`^parley [a-z]`)
	works       = regexp.MustCompile(`"(Make the tests pass|Fix it)"`)
)

// A command that the guide or the README names does what a reader expects of it, as it
// stands: only its placeholders are filled in.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	work := t.TempDir()
	project, home := filepath.Join(work, "project"), filepath.Join(work, "home")
	for _, dir := range []string{project, home, filepath.Join(work, "path")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(test.Parley(t), filepath.Join(work, "path", "parley")); err != nil {
		t.Fatal(err)
	}
	shell := func(script string) (stdout, stderr string, code int) {
		c := exec.CommandContext(t.Context(), "sh", "-c", script)
		var out, errs strings.Builder
		c.Dir, c.Stdout, c.Stderr = project, &out, &errs
		c.Env = []string{
			"HOME=" + home, "HTTPS_PROXY=http://127.0.0.1:1", "EDITOR=true", "GIT_CONFIG_NOSYSTEM=1", "TMPDIR=" + t.TempDir(), "SCRIPTED=" + test.Scripted(t),
			"PATH=" + filepath.Join(work, "path") + ":" + filepath.Join(project, "bin") + ":" + os.Getenv("PATH"),
		}
		err := c.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return out.String(), errs.String(), c.ProcessState.ExitCode()
	}
	if _, stderr, code := shell(documentedSetup); code != 0 {
		t.Fatalf("the setup fails: %s", stderr)
	}
	defer shell(`parley sessions end $(parley sessions --all | sed -n 's/^    runs as \([a-z0-9]*\):.*/\1/p')`)
	running, _, _ := shell("cat detached.txt")
	sessions, _, _ := shell("parley sessions --json")
	var list []struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(sessions), &list); err != nil || len(list) < 2 {
		t.Fatalf("no sessions: %v %s", err, sessions)
	}
	stored := list[len(list)-1].ID // those that run come first
	ofRunning := regexp.MustCompile(`^parley (wait|send|answer|sessions end) `)

	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]bool{}
	for _, block := range shellBlocks.FindAllStringSubmatch(string(readme)+docs.Guide(), -1) {
		for line := range strings.Lines(block[1]) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
			line = strings.TrimSpace(line)
			if !strings.HasPrefix(line, "parley") && !strings.Contains(line, "| parley") || ran[line] {
				continue
			}
			ran[line] = true
			id := stored
			if ofRunning.MatchString(line) {
				id = strings.TrimSpace(running)
			}
			runDocumented(t, shell, line, id)
		}
	}
	if len(ran) < 40 {
		t.Errorf("only %d commands were found", len(ran))
	}
}

func runDocumented(t *testing.T, shell func(string) (string, string, int), line, session string) {
	t.Helper()
	name := "mine"
	switch {
	case strings.HasPrefix(line, "parley worktree"):
		name = "wren"
	case strings.HasPrefix(line, "parley agents install"):
		name = "cline"
	case strings.HasPrefix(line, "parley agents login"):
		name = "tour"
	case strings.HasPrefix(line, "parley agents info"):
		name = "claude"
	}
	command := strings.NewReplacer(
		"[NAME...]", "", "NAME...", name, "NAME", name, "[METHOD]", "", "=ID", "="+session, " ID", " "+session,
		"--connect URL", "--connect ws://127.0.0.1:1/acp", "wss://agents.example.com", "ws://127.0.0.1:1",
	).Replace(line)
	if works.MatchString(line) {
		command = "export WORKS=1; " + command
	}
	stdout, stderr, code := shell(command)
	reason := ""
	for start, words := range needs {
		if strings.HasPrefix(line+" ", start) && (start != "parley " || !subcommand.MatchString(line)) {
			reason += "|" + words
		}
	}
	if code != 0 && (code == 2 || reason == "" || !regexp.MustCompile(reason[1:]).MatchString(stdout+stderr)) {
		t.Errorf("%s: exit %d: %s%s", command, code, stdout, stderr)
	}
}
