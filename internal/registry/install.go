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

// maxArchive limits a download, in bytes.
const maxArchive = 1 << 30

// ErrDigest means that a download does not match the digest in the registry.
var ErrDigest = errors.New("the download does not match the digest in the registry")

// install installs an agent as planned, and returns how to start it. It downloads
// nothing for a package, which npx or uvx fetches when the agent starts. A failed
// installation leaves nothing behind.
func (a *Agents) install(ctx context.Context, plan config.Agent, progress func(done, all int64)) (config.Agent, error) {
	agent, origin := plan, *plan.Origin
	agent.Source, agent.Origin = config.SourceInstalled, &origin
	origin.At = time.Now().UTC().Truncate(time.Second)
	if origin.Archive == "" {
		return agent, nil
	}
	dir, err := a.fetch(ctx, plan, progress)
	if err != nil {
		return agent, fmt.Errorf("install %s: %w", plan.ID, err)
	}
	agent.Command, origin.Dir = filepath.Join(dir, filepath.FromSlash(plan.Command)), dir
	return agent, nil
}

// fetch downloads and unpacks a program, and returns its directory.
func (a *Agents) fetch(ctx context.Context, plan config.Agent, progress func(done, all int64)) (dir string, err error) {
	home := filepath.Join(a.Dir, plan.ID)
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
	if err := a.download(ctx, plan, archive, progress); err != nil {
		return "", fmt.Errorf("download %s: %w", plan.Origin.Archive, err)
	}
	files := filepath.Join(temp, "files")
	if err := os.Mkdir(files, 0o700); err != nil {
		return "", err
	}
	u, err := url.Parse(plan.Origin.Archive)
	if err != nil {
		return "", err
	}
	if err := unpack(archive, path.Base(u.Path), files, plan.Command, defaultBounds); err != nil {
		return "", fmt.Errorf("unpack %s: %w", plan.Origin.Archive, err)
	}
	if err := makeExecutable(files, plan.Command); err != nil {
		return "", err
	}
	// A new name, because another program may be running from the previous directory.
	dir = filepath.Join(home, plan.Origin.Version+"-"+strings.TrimPrefix(filepath.Base(temp), temporary))
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
func (a *Agents) download(ctx context.Context, plan config.Agent, to *os.File, tell func(done, all int64)) error {
	resp, err := get(ctx, a.Cache.Client, plan.Origin.Archive, nil)
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
	case plan.Origin.SHA256 != "" && hex.EncodeToString(digest.Sum(nil)) != plan.Origin.SHA256:
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
