package registry

import (
	"cmp"
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

// maxArchive limits a download, in bytes.
const maxArchive = 1 << 30

// ErrDigest means that a download does not match the digest in the registry.
var ErrDigest = errors.New("the download does not match the digest in the registry")

// install installs an agent as planned, and returns how to start it. It downloads
// nothing for a package, which npx or uvx fetches when the agent starts. A failed
// installation leaves nothing behind.
func (a *Agents) install(ctx context.Context, p Plan, progress func(done, all int64)) (config.Added, error) {
	added := config.Added{
		ID: p.Entry.ID, Name: p.Entry.Name, Command: p.Command, Args: p.Args, Env: literal(p.Env),
		Origin: &config.Origin{Version: p.Entry.Version, Kind: string(p.Kind), License: p.Entry.License, Source: p.Entry.Source(), At: time.Now().UTC().Truncate(time.Second)},
	}
	if p.Kind != Binary {
		return added, nil
	}
	dir, err := a.fetch(ctx, p, progress)
	if err != nil {
		return added, fmt.Errorf("install %s: %w", p.Entry.ID, err)
	}
	added.Command = filepath.Join(dir, filepath.FromSlash(p.Command))
	added.Origin.Dir, added.Origin.Archive, added.Origin.SHA256 = dir, p.Archive, p.SHA256
	return added, nil
}

// literal escapes variables so that they refer to no others: a registry must not read
// the user's environment.
func literal(env map[string]string) map[string]string {
	out := make(map[string]string, len(env))
	for name, value := range env {
		out[name] = strings.ReplaceAll(value, "$", "$$")
	}
	return out
}

// Source returns a page about the agent.
func (e Entry) Source() string {
	if e.Repository != "" {
		return e.Repository
	}
	return e.Website
}

// About says what the agent is, or at least who makes it.
func (e Entry) About() string {
	by := ""
	if len(e.Authors) > 0 {
		by = "by " + strings.Join(e.Authors, ", ")
	}
	return cmp.Or(e.Description, by, e.Source())
}

// fetch downloads and unpacks a program, and returns its directory.
func (a *Agents) fetch(ctx context.Context, p Plan, progress func(done, all int64)) (dir string, err error) {
	home := filepath.Join(a.Dir, p.Entry.ID)
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
	if err := a.download(ctx, p, archive, progress); err != nil {
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
	// A new name, because another program may be running from the previous directory.
	dir = filepath.Join(home, p.Entry.Version+"-"+strings.TrimPrefix(filepath.Base(temp), temporary))
	return dir, os.Rename(files, dir)
}

// makeExecutable checks that the program is in the directory, and makes it executable.
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

// download writes the plan's archive to a file, verifies it, and rewinds the file.
func (a *Agents) download(ctx context.Context, p Plan, to *os.File, tell func(done, all int64)) error {
	resp, err := get(ctx, a.Cache.Client, p.Archive, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server returned %s", resp.Status)
	}
	if resp.ContentLength > maxArchive {
		return fmt.Errorf("%w: %d MiB", errTooLarge, resp.ContentLength>>20)
	}
	digest := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, digest, &progress{tell, 0, max(0, resp.ContentLength)}), io.LimitReader(resp.Body, maxArchive+1))
	switch {
	case err != nil:
		return err
	case n > maxArchive:
		return fmt.Errorf("%w: more than %d MiB", errTooLarge, maxArchive>>20)
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

// temporary is the prefix of directories for unfinished installations, which take at
// most longestInstall.
const (
	temporary      = ".new-"
	longestInstall = 24 * time.Hour
)

// programs returns the directories of an agent's programs, without those of running
// installations.
func (a *Agents) programs(id string) (dirs []string) {
	home := filepath.Join(a.Dir, id)
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
