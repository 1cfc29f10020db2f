package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/registry"
	"parley/internal/termtext"
)

// writeAgents updates the built-in registry in dir from the public registry. If that cannot
// be reached, it updates what npm has from there. It reports each change.
func writeAgents(ctx context.Context, dir string, report func(format string, args ...any)) error {
	temp, err := os.MkdirTemp("", "agents-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	now := time.Now().UTC().Truncate(24 * time.Hour)
	published := &registry.Cache{File: filepath.Join(temp, "registry.json")}
	e, _, err := published.Refresh(ctx)
	if err == nil {
		for _, f := range e.Faults {
			report("left out: %v", f)
		}
		report("took %d agents from the registry", len(e.Entries))
		return writeSnapshot(dir, e.Entries, registry.Dates{Published: now, NPM: now})
	}
	report("%v\nRaising what npm has only.", err)
	if e, err = registry.Snapshot(); err != nil {
		return err
	}
	raiseNPM(e.Entries, func(pkg string) (string, error) { return newestOf(ctx, pkg) }, report)
	return writeSnapshot(dir, e.Entries, registry.Dates{Published: e.Date, NPM: now})
}

// alsoNPM are the packages of npm of agents that the registry has only as downloads, and the
// arguments with which their programs are agents.
var alsoNPM = map[string]registry.Package{"opencode": {Package: "opencode-ai", Args: []string{"acp"}, Cmd: "opencode"}}

// raiseNPM updates the versions of the agents that npm has. Where another version is newer
// than the registry's downloads, these go: nothing here says where newer ones are, and what
// their digests are.
func raiseNPM(entries []registry.Entry, newest func(pkg string) (string, error), report func(format string, args ...any)) {
	for i := range entries {
		e := &entries[i]
		npx := e.Distribution.NPX
		if also, is := alsoNPM[e.ID]; is && npx == nil {
			npx = &also
		}
		if npx == nil {
			report("%s %s stays: not from npm", e.ID, e.Version)
			continue
		}
		name := npx.Package
		if at := strings.LastIndex(name, "@"); at > 0 {
			name = name[:at]
		}
		version, err := newest(name)
		if err != nil {
			report("%s %s stays: %v", e.ID, e.Version, err)
			continue
		}
		if version == e.Version {
			continue
		}
		report("%s %s → %s", e.ID, e.Version, version)
		if !e.OnlyNPM() {
			report("%s comes from npm alone now: the downloads of %s cannot be checked", e.ID, version)
		}
		npx.Package = name + "@" + version
		e.Version, e.Distribution = version, registry.Distribution{NPX: npx}
	}
}

// newestOf asks npm for the newest version of a package.
func newestOf(ctx context.Context, pkg string) (string, error) {
	out, err := exec.CommandContext(ctx, "npm", "view", pkg, "version").Output()
	version := strings.TrimSpace(string(out))
	switch {
	case err != nil:
		return "", fmt.Errorf("npm view %s: %w", pkg, err)
	case version == "":
		return "", fmt.Errorf("npm has no package %s", pkg)
	}
	return version, nil
}

// writeSnapshot writes the registry with these entries, and its dates.
func writeSnapshot(dir string, entries []registry.Entry, dates registry.Dates) error {
	b, err := termtext.EncodeJSON(struct {
		Version string           `json:"version"`
		Agents  []registry.Entry `json:"agents"`
	}{"1.0.0", entries}, "  ")
	if err != nil {
		return err
	}
	if x, err := registry.Parse(b); err != nil || len(x.Faults) > 0 {
		return fmt.Errorf("parley could not use the new list: %v %w", x.Faults, err)
	}
	if err := writeFile(filepath.Join(dir, "registry.json"), b, 0o644); err != nil {
		return err
	}
	return writeJSON(filepath.Join(dir, "dates.json"), dates)
}
