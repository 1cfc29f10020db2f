// Package git runs git in projects that are not trusted yet, and manages worktrees for
// sessions. A repository can name programs that git runs by itself: hooks, a file
// system monitor, filters, aliases, pagers, external diffs, credential helpers, and
// programs that fetch missing objects. This package runs none of them. [Command] is for
// commands that only read; [Writer] lets the filters of the user's own configuration
// run in a sandbox, because files would be corrupted without them, and makes git fail for
// those of the repository.
//
// A [Worktree] is a directory and a branch of its own, in which an agent works beside
// the user's checkout. Its changes can be shown, merged or dropped; a drop keeps them
// under a ref. Merge, diff and drop work on a snapshot of the whole worktree in a
// temporary index, and abort a merge with conflicts.
package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley/fs"
	"parley/internal/process"
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
	"GIT_NO_REPLACE_OBJECTS=1", // an agent that may commit could have another text shown than is merged
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

// readTime is how long git may take to read, and writeTime to write, which can be much. It waits
// for ever where one of its files is a named pipe, such as an included one, .gitmodules or
// .gitignore.
var readTime, writeTime = 30 * time.Second, 10 * time.Minute

// maxMemory is how much memory git may take, in bytes: a link to a device makes it read for ever.
var maxMemory uint64 = 4 << 30

// writing reports whether a command may take long because of large or many files.
func writing(args []string) bool {
	switch args[0] {
	case "add", "bundle", "checkout", "commit", "merge", "merge-tree", "reset":
		return true
	}
	return args[0] == "worktree" && (args[1] == "add" || args[1] == "remove")
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
	cmd.Dir, cmd.WaitDelay = dir, time.Second // a child may outlive it and hold its output
	process.Bind(cmd)
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !slices.ContainsFunc(inherited, func(n string) bool { return strings.EqualFold(n, name) }) {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, environment...)
	return cmd
}

// start starts a [Command] within maxMemory.
func start(cmd *exec.Cmd) error {
	err := cmd.Start()
	if err == nil {
		process.LimitMemory(cmd.Process.Pid, maxMemory)
	}
	return err
}

// fileBound limits what is read of a file in .git, in bytes: one short line.
const fileBound = 4096

// Branch returns the branch that is checked out in the repository of dir, the
// abbreviated commit if there is none, or "" if there is no repository. It reads git's
// files without running git. The result is sanitised for drawing.
func Branch(dir string) string {
	if dir = topOf(dir); dir == "" {
		return ""
	}
	git := filepath.Join(dir, ".git")
	if info, err := os.Stat(git); err == nil && !info.IsDir() { // a worktree or a submodule
		if git = linkedDir(dir); git == "" {
			return ""
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

// Top returns the top of the working tree that dir is in, with links resolved.
func Top(dir string) (string, error) {
	top := topOf(dir)
	if top == "" {
		return "", fmt.Errorf("%s: %w", dir, ErrNoRepository)
	}
	return filepath.EvalSymlinks(top)
}

// topOf returns the top of the working tree that dir is in, "" if it is in none.
func topOf(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

// repositoryOf returns the directory that the worktrees of dir's repository have in common, with
// links resolved; "" if there is none.
func repositoryOf(dir string) string {
	top := topOf(dir)
	if top == "" {
		return ""
	}
	if info, err := os.Stat(filepath.Join(top, ".git")); err == nil && info.IsDir() {
		return commonDir(filepath.Join(top, ".git"))
	}
	return commonDir(linkedDir(top))
}

// commonDir returns what git's own directory of a working tree has in common with those of other
// worktrees, with links resolved; "" if admin is no directory.
func commonDir(admin string) string {
	real, err := filepath.EvalSymlinks(admin)
	if admin == "" || err != nil {
		return ""
	}
	b, err := fs.ReadHead(filepath.Join(real, "commondir"), fileBound)
	if err != nil {
		return real
	}
	common := strings.TrimSpace(string(b))
	if !filepath.IsAbs(common) {
		common = filepath.Join(real, common)
	}
	if common, err = filepath.EvalSymlinks(common); err != nil {
		return ""
	}
	return common
}

// linkedDir returns git's own directory of a worktree or submodule, "" if dir is neither.
func linkedDir(dir string) string {
	b, err := fs.ReadHead(filepath.Join(dir, ".git"), fileBound)
	git, linked := strings.CutPrefix(string(b), "gitdir:")
	if err != nil || !linked {
		return ""
	}
	if git = strings.TrimSpace(git); !filepath.IsAbs(git) {
		git = filepath.Join(dir, git)
	}
	return git
}

// errMissing means that git is not installed.
var errMissing = errors.New("git is not installed, or not on PATH")

// ofCommand matches git's words about a filter by its command.
var ofCommand = regexp.MustCompile(`(?ms)^error: (external filter|initialization for subprocess) '.*?' failed$`)

// errSlow means that git did not end in time.
var errSlow = errors.New("git did not end in time")

// DiskFull reports whether an error of this package, or one in it, is that of a full disk, which has room later.
func DiskFull(err error) bool {
	return err != nil && (errors.Is(err, syscall.ENOSPC) || strings.Contains(strings.ToLower(err.Error()), syscall.ENOSPC.Error())) // git only says so
}

// Error is a failure of git.
type Error struct {
	// Command is git's subcommand, such as "merge"; Output is the end of its
	// standard error, sanitised for drawing, and may be empty.
	Command, Output string
	Err             error
}

func (e *Error) Error() string {
	if e.Output == "" {
		return fmt.Sprintf("git %s: %v", e.Command, e.Err)
	}
	return fmt.Sprintf("git %s: %s", e.Command, e.Output)
}

func (e *Error) Unwrap() error { return e.Err }

// Writer runs git commands that check out, add or merge files. It runs filters of the
// user's own configuration, because files would be corrupted without them, but no hooks
// and no programs that the repository's configuration names: a file that needs one of
// those filters is an error, and one that needs a merge driver is a conflict. A Writer
// is safe for concurrent use.
type Writer struct {
	dir     string
	env     []string
	refused []string // the filters of the repository's own configuration
	most    int      // of the output, in bytes; 0 is maxOutput
	in      string   // standard input
	// storing returns the environment for another repository with the same filters, by git's own directory.
	storing func(repository string) []string
}

// noServer is an address at which git-lfs finds no server, without the network.
const noServer = "file://" + os.DevNull

// NewWriter returns a Writer for the repository of dir. It fails without git or a
// repository.
func NewWriter(ctx context.Context, dir string) (*Writer, error) { return newWriter(ctx, dir) }

// newWriter is NewWriter with environment variables, which come first in its own.
func newWriter(ctx context.Context, dir string, env ...string) (*Writer, error) {
	w := &Writer{dir: dir, env: env}
	common, err := w.line(ctx, "rev-parse", "--path-format=absolute", "--git-common-dir") // with links resolved
	if err != nil {
		return nil, err
	}
	settings := map[string]string{
		"commit.gpgSign": "false", "merge.verifySignatures": "false", "merge.autoStash": "false",
		"rerere.enabled": "false", "advice.detachedHead": "false",
		// git-lfs would fetch what is missing from where a committed .lfsconfig says, or by a program of the repository's.
		"lfs.url": noServer, "lfs.standaloneTransferAgent": "", "lfs." + noServer + ".standaloneTransferAgent": "",
	}
	out, err := w.Run(ctx, "config", "-z", "--show-scope", "--get-regexp", `^((filter|merge|hook)\..*\.|lfs\.storage$)`)
	if err != nil && !exitedWith(err, 1) { // 1 means that there are none
		return nil, err
	}
	fields, drivers, storage := strings.Split(out, "\x00"), map[string]driver{}, ""
	for i := 0; i+1 < len(fields); i += 2 {
		scope := fields[i]
		key, value, set := strings.Cut(fields[i+1], "\n")
		if !set {
			value = "true"
		}
		section := key[:strings.LastIndexByte(key, '.')]
		if key == lfsStorage {
			storage = value
			continue
		}
		if strings.HasPrefix(section, "hook.") { // since git 2.54; core.hooksPath is that of the others
			settings[section+".enabled"] = "false"
			continue
		}
		if scope != "local" && scope != "worktree" {
			if drivers[section] == nil {
				drivers[section] = driver{}
			}
			drivers[section][key[len(section)+1:]] = value
			continue
		}
		// Make git refuse the filter or merge driver to which the key belongs.
		delete(drivers, section)
		if strings.HasPrefix(section, "merge.") {
			settings[section+".driver"] = "false"
			continue
		}
		for _, key := range []string{".clean", ".smudge", ".process"} {
			settings[section+key] = ""
		}
		settings[section+".required"] = "true"
		w.refused = append(w.refused, strings.TrimPrefix(section, "filter."))
	}
	w.storing = func(repository string) []string {
		all := maps.Clone(settings)
		confine(all, drivers, repository, at(repository, cmp.Or(storage, lfsDir)))
		return configured(all)
	}
	w.env = append(env, w.storing(common)...)
	return w, nil
}

// configured returns the environment variables for additional settings of git's.
func configured(settings map[string]string) []string {
	env := []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings))}
	n := 0
	for key, value := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
		n++
	}
	return env
}

// Run runs git and returns its output, up to the bound, also with an error. The error is an *Error,
// errMissing or ErrTooMany.
func (w *Writer) Run(ctx context.Context, args ...string) (string, error) {
	return w.runWith(ctx, nil, args...)
}

// line is Run for commands that print one line.
func (w *Writer) line(ctx context.Context, args ...string) (string, error) {
	out, err := w.Run(ctx, args...)
	return strings.TrimSpace(out), err
}

func (w *Writer) has(ctx context.Context, ref string) bool {
	_, err := w.Run(ctx, "rev-parse", "--verify", "--quiet", ref)
	return err == nil
}

// runWith is Run with additional environment variables.
func (w *Writer) runWith(ctx context.Context, env []string, args ...string) (string, error) {
	most, named := readTime, args
	if args[0] == "--no-literal-pathspecs" {
		named = args[1:]
	}
	command := named[0]
	if writing(named) {
		most = writeTime
	}
	ctx, cancel := context.WithTimeoutCause(ctx, most, errSlow)
	defer cancel()
	cmd := Command(ctx, w.dir, args...)
	cmd.Env = slices.Concat(cmd.Env, w.env, env)
	out, said := bounded{most: w.most}, bounded{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(w.in), &out, &said
	err := start(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	switch {
	case err == nil:
		return string(out.kept), nil
	case errors.Is(err, exec.ErrNotFound):
		return "", errMissing
	case out.over:
		return string(out.kept), ErrTooMany
	case errors.Is(context.Cause(ctx), errSlow):
		return "", &Error{Command: command, Output: fmt.Sprintf("it did not end in %v; a named pipe makes it wait for ever: look for one at .gitignore and .gitattributes and below .git/worktrees in %s", most, termtext.Line(w.dir)), Err: errSlow}
	}
	if ctx.Err() != nil {
		return "", &Error{Command: command, Output: "interrupted", Err: ctx.Err()}
	}
	why := lastLines(ofCommand.ReplaceAll(said.kept, nil))
	if strings.HasPrefix(why, "detected dubious ownership") {
		top := termtext.Line(topOf(w.dir))
		why = fmt.Sprintf("%s belongs to another user; 'git config --global --add safe.directory %s' lets git read it", top, top)
	}
	return string(out.kept), &Error{Command: command, Output: w.ofFilter(why), Err: err}
}

// failedFilter matches git's words for a filter that has failed.
var failedFilter = regexp.MustCompile(`(?:clean|smudge) filter '?([^'\n]+?)'? failed`)

// lacking matches the words of git-lfs for content that it has not.
var lacking = regexp.MustCompile(`Error downloading object: (.+?) \([0-9a-f]+\)`)

// ofFilter adds to git's words why a filter has failed, and what to do.
func (w *Writer) ofFilter(said string) string {
	at := failedFilter.FindStringSubmatchIndex(said)
	if at != nil && slices.Contains(w.refused, said[at[2]:at[3]]) {
		return said[:at[1]] + ": parley runs no filters of the repository's own; move filter." + said[at[2]:at[3]] +
			" from its configuration to yours (git config --global)" + said[at[1]:]
	}
	if at := lacking.FindStringSubmatch(said); at != nil {
		return "the content of " + at[1] + " is not on this machine; 'git lfs fetch' fetches it"
	}
	if strings.Contains(said, "git-lfs") || at != nil && said[at[2]:at[3]] == lfsDir {
		if _, err := exec.LookPath("git-lfs"); err != nil {
			return "git-lfs is not installed, or not on PATH"
		}
	}
	return said
}

// maxErrorLines limits the lines of git's output in an error. A lock that a killed git has left is named
// in the first of seven.
const maxErrorLines = 8

// lastLines returns the last lines of git's output.
func lastLines(b []byte) string {
	lines := strings.Split(termtext.Block(strings.TrimSpace(string(bytes.ToValidUTF8(b, nil)))), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" || strings.HasPrefix(l, "hint:") })
	return strings.TrimPrefix(strings.Join(lines[max(0, len(lines)-maxErrorLines):], "\n"), "fatal: ")
}
