// Package git asks about a project that nobody trusts yet. A repository can name
// programs that git runs by itself: hooks, a file system monitor, filters,
// aliases, pagers, external diffs, credential helpers, and programs that fetch
// what is missing. None of them is run from here.
package git

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"parley/fs"
	"parley/internal/termtext"
)

// settings switch off what a repository's configuration could make git start.
// What is given on the command line counts more than any file.
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

// environment adds what no setting can say. Nothing is fetched: neither objects
// that a partial clone lacks, nor by any protocol at all.
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

// inherited are variables with which whoever started parley could make git start
// something, or look at another repository.
var inherited = []string{
	"GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PROXY_COMMAND", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR",
	"GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR",
}

// Command prepares git with the arguments in a directory. Only commands that
// read are safe: what checks out or adds files runs the filters that a
// repository names, and no setting turns all of those off. A diff takes
// --no-ext-diff and --no-textconv besides.
func Command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	all := []string{"--no-pager", "--literal-pathspecs"}
	for _, s := range settings {
		all = append(all, "-c", s)
	}
	cmd := exec.CommandContext(ctx, "git", append(all, args...)...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !isInherited(name) {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, environment...)
	return cmd
}

func isInherited(name string) bool {
	for _, n := range inherited {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// fileBound is how much of a file in .git is read, in bytes: what is looked for
// there is one short line.
const fileBound = 4096

// Branch is the branch that is checked out in the repository that dir belongs
// to, the beginning of the commit if there is no branch, and "" if there is no
// repository or it cannot be told. It reads git's own files and does not run git.
// The result is fit to be drawn.
func Branch(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if git := filepath.Join(d, ".git"); exists(git) {
			return head(d, git)
		}
		if filepath.Dir(d) == d {
			return ""
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// head reads which branch is checked out; dir is what holds git.
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
