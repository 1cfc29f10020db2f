// Package git runs git in projects that are not trusted yet, and manages worktrees for
// sessions. A repository can name programs that git runs by itself: hooks, a file
// system monitor, filters, aliases, pagers, external diffs, credential helpers, and
// programs that fetch missing objects. This package runs none of them. [Command] is for
// commands that only read; [Writer] lets the filters of the user's own configuration
// run, because files would be corrupted without them, and makes git fail for those of
// the repository.
//
// A [Worktree] is a directory and a branch of its own, in which an agent works beside
// the user's checkout. Its changes can be shown, merged or dropped; a drop keeps them
// under a ref. Merge, diff and drop work on a snapshot of the whole worktree in a
// temporary index, and abort a merge with conflicts.
package git

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"parley/fs"
	"parley/internal/termtext"
)

// settings switch off what a repository's configuration could make git start.
// Command-line settings win over any file.
var settings = []string{
	"core.fsmonitor=false",
	"core.hooksPath=" + os.DevNull,
	"core.pager=cat",
	"core.editor=false",
	"core.askPass=",
	"core.sshCommand=false",
	"core.gitProxy=",
	"core.alternateRefsCommand=false",
	"credential.helper=",
	"protocol.allow=never",
	"uploadpack.packObjectsHook=",
	"submodule.recurse=false",
	"gc.auto=0",
	"maintenance.auto=false",
}

// environment covers what has no setting. Nothing is fetched, neither missing objects
// of a partial clone nor by any protocol.
var environment = []string{
	"GIT_NO_LAZY_FETCH=1",
	"GIT_ALLOW_PROTOCOL=",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_ASKPASS=",
	"SSH_ASKPASS=",
	"GIT_PAGER=cat",
	"GIT_EDITOR=false",
	"LC_ALL=C",
}

// inherited are environment variables that could make git start programs, or look at
// another repository.
var inherited = []string{
	"GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PROXY_COMMAND", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR",
	"GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR",
}

// Command prepares git with arguments in a directory. Only reading commands are safe:
// checking out or adding files runs the filters that a repository names, and no setting
// turns all of those off. A diff also needs --no-ext-diff and --no-textconv.
func Command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	all := []string{"--no-pager", "--literal-pathspecs"}
	for _, s := range settings {
		all = append(all, "-c", s)
	}
	cmd := exec.CommandContext(ctx, "git", append(all, args...)...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !slices.ContainsFunc(inherited, func(n string) bool { return strings.EqualFold(n, name) }) {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, environment...)
	return cmd
}

// fileBound bounds what is read of a file in .git, in bytes: one short line.
const fileBound = 4096

// Branch returns the branch that is checked out in the repository of dir, the
// abbreviated commit if there is none, or "" if there is no repository. It reads git's
// files without running git. The result is sanitised for drawing.
func Branch(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		git := filepath.Join(d, ".git")
		if _, err := os.Lstat(git); err == nil {
			return head(d, git)
		}
		if filepath.Dir(d) == d {
			return ""
		}
	}
}

// head reads which branch is checked out; dir contains git.
func head(dir, git string) string {
	if info, err := os.Stat(git); err == nil && !info.IsDir() { // a worktree or a submodule: "gitdir: PATH"
		b, err := fs.ReadHead(git, fileBound)
		path, ok := strings.CutPrefix(string(b), "gitdir:")
		if err != nil || !ok {
			return ""
		}
		git = strings.TrimSpace(path)
		if !filepath.IsAbs(git) {
			git = filepath.Join(dir, git)
		}
	}
	b, err := fs.ReadHead(filepath.Join(git, "HEAD"), fileBound)
	if err != nil {
		return ""
	}
	ref, _, _ := strings.Cut(string(b), "\n")
	ref = strings.TrimSpace(ref)
	if name, ok := strings.CutPrefix(ref, "ref: refs/heads/"); ok {
		return termtext.Line(name)
	}
	return termtext.Line(ref[:min(len(ref), 8)])
}
