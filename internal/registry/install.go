package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"parley/config"
)

// maxArchive bounds what is downloaded, in bytes.
const maxArchive = 1 << 30

// Installer brings agents to this machine.
type Installer struct {
	// Dir is the directory of the programs: each version of an agent has one of its own
	// in it. It need not exist.
	Dir string
	// Client downloads; nil is one that leaves https for nothing.
	Client *http.Client
	// Progress is told how much of a download has come, and how much there is; 0 if
	// nobody says. It is called from the goroutine of Install, often; nil is not.
	Progress func(done, all int64)
}

// ErrDigest says that a download is not what the registry has described.
var ErrDigest = errors.New("what came is not what the registry describes: its digest is another one")

// Install brings an agent to this machine as planned, and returns how it is started from
// now on. Of a package nothing is fetched: the program that is started does that. Nothing
// is left of what did not succeed.
func (in *Installer) Install(ctx context.Context, p Plan) (config.Added, error) {
	a := config.Added{
		ID: p.Entry.ID, Name: p.Entry.Name, Command: p.Command, Args: p.Args, Env: literal(p.Env),
		Origin: &config.Origin{Version: p.Entry.Version, Kind: string(p.Kind), License: p.Entry.License, Source: p.Entry.Source(), At: time.Now().UTC().Truncate(time.Second)},
	}
	if p.Kind != Binary {
		return a, nil
	}
	dir, err := in.bring(ctx, p)
	if err != nil {
		return a, fmt.Errorf("install %s: %w", p.Entry.ID, err)
	}
	a.Command = filepath.Join(dir, filepath.FromSlash(p.Command))
	a.Origin.Dir, a.Origin.Archive, a.Origin.SHA256 = dir, p.Archive, p.SHA256
	return a, nil
}

// literal are variables that refer to no others: those of a registry get to see nothing
// of the person's environment.
func literal(env map[string]string) map[string]string {
	out := make(map[string]string, len(env))
	for name, value := range env {
		out[name] = strings.ReplaceAll(value, "$", "$$")
	}
	return out
}

// Source is where a person can read about the agent.
func (e Entry) Source() string {
	if e.Repository != "" {
		return e.Repository
	}
	return e.Website
}

// bring downloads and unpacks a program, and returns its directory.
func (in *Installer) bring(ctx context.Context, p Plan) (dir string, err error) {
	home := filepath.Join(in.Dir, p.Entry.ID)
	if err := config.MakeDir(home); err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp(home, temporary)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	archive, err := os.Create(filepath.Join(temp, "archive"))
	if err != nil {
		return "", err
	}
	defer archive.Close()
	if err := in.download(ctx, p, archive); err != nil {
		return "", fmt.Errorf("download %s: %w", p.Archive, err)
	}
	files := filepath.Join(temp, "files")
	if err := os.Mkdir(files, 0o700); err != nil {
		return "", err
	}
	u, err := url.Parse(p.Archive)
	if err != nil {
		return "", err
	}
	if err := unpack(archive, path.Base(u.Path), files, p.Command, defaultBounds); err != nil {
		return "", fmt.Errorf("unpack %s: %w", p.Archive, err)
	}
	if err := makeExecutable(files, p.Command); err != nil {
		return "", err
	}
	// A name of its own: another program may be running from what was there before.
	dir = filepath.Join(home, p.Entry.Version+"-"+strings.TrimPrefix(filepath.Base(temp), temporary))
	return dir, os.Rename(files, dir)
}

// makeExecutable sees to it that the program is there, in the directory, and can be run.
func makeExecutable(dir, cmd string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Stat(cmd)
	if err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("the archive has no program %s", cmd)
	}
	return root.Chmod(cmd, info.Mode().Perm()|0o700)
}

// download writes what is at the plan's address to a file, checks it, and goes back to
// its beginning.
func (in *Installer) download(ctx context.Context, p Plan, to *os.File) error {
	client := in.Client
	if client == nil {
		client = newClient()
	}
	resp, err := get(ctx, client, p.Archive, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answers %s", resp.Status)
	}
	if resp.ContentLength > maxArchive {
		return fmt.Errorf("%w: %d MiB", ErrTooLarge, resp.ContentLength>>20)
	}
	digest := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, digest, &progress{in.Progress, 0, max(0, resp.ContentLength)}), io.LimitReader(resp.Body, maxArchive+1))
	switch {
	case err != nil:
		return err
	case n > maxArchive:
		return fmt.Errorf("%w: more than %d MiB", ErrTooLarge, maxArchive>>20)
	case p.SHA256 != "" && hex.EncodeToString(digest.Sum(nil)) != p.SHA256:
		return ErrDigest
	}
	_, err = to.Seek(0, io.SeekStart)
	return err
}

type progress struct {
	tell      func(done, all int64)
	done, all int64
}

func (p *progress) Write(data []byte) (int, error) {
	p.done += int64(len(data))
	if p.tell != nil {
		p.tell(p.done, p.all)
	}
	return len(data), nil
}

// Remove takes an agent's programs away.
func (in *Installer) Remove(id string) error {
	if !isID(id) {
		return nil // it has none
	}
	return os.RemoveAll(filepath.Join(in.Dir, id))
}

// temporary begins the names of directories in which a program is being made, for at most
// longestInstall.
const (
	temporary      = ".new-"
	longestInstall = 24 * time.Hour
)

// there are the directories of an agent's programs, without those that another
// installation is making.
func (in *Installer) there(id string) (dirs []string) {
	home := filepath.Join(in.Dir, id)
	entries, err := os.ReadDir(home)
	if err != nil {
		return nil // there are none yet
	}
	for _, e := range entries {
		info, err := e.Info()
		if strings.HasPrefix(e.Name(), temporary) && (err != nil || time.Since(info.ModTime()) < longestInstall) {
			continue
		}
		dirs = append(dirs, filepath.Join(home, e.Name()))
	}
	return dirs
}
