package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// artifact is an entry of GoReleaser's artifacts.json.
type artifact struct {
	Type   string `json:"type"`
	Path   string `json:"path"` // relative to the folder GoReleaser ran in
	GoOS   string `json:"goos"`
	GoArch string `json:"goarch"`
}

// platform tells the launcher where a program is.
type platform struct {
	Package string `json:"package"`
	Program string `json:"program"`
	SHA256  string `json:"sha256"`
}

// manifest is a package.json.
type manifest struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	License      string            `json:"license"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Bin          map[string]string `json:"bin,omitempty"`
	Engines      map[string]string `json:"engines,omitempty"`
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	Files        []string          `json:"files"`
	PreferUnplug bool              `json:"preferUnplugged,omitempty"` // Yarn unpacks it to disk
}

// npm's names of systems and processors, where they differ from Go's.
var (
	systems    = map[string]string{"windows": "win32"}
	processors = map[string]string{"amd64": "x64"}
)

// writeNPM writes the packages of a GoReleaser build below out: one with the program for
// each platform, and the main one, which depends on them and starts the right one. launcher
// is the folder with the files of the main package.
func writeNPM(name, dist, out, launcher string) error {
	var release struct {
		Version string `json:"version"`
	}
	if err := readJSON(filepath.Join(dist, "metadata.json"), &release); err != nil {
		return err
	}
	var artifacts []artifact
	if err := readJSON(filepath.Join(dist, "artifacts.json"), &artifacts); err != nil {
		return err
	}
	platforms, optional := map[string]platform{}, map[string]string{}
	for _, a := range artifacts {
		if a.Type != "Binary" {
			continue
		}
		p, key, err := writeProgram(name, release.Version, filepath.Join(filepath.Dir(dist), a.Path), a, out)
		if err != nil {
			return err
		}
		platforms[key], optional[p.Package] = p, release.Version
	}
	if len(platforms) == 0 {
		return fmt.Errorf("%s has no programs: build them with goreleaser", dist)
	}
	dir := filepath.Join(out, "parley")
	for _, file := range []struct {
		name string
		mode os.FileMode
	}{{"parley.js", 0o755}, {"README.md", 0o644}} {
		content, err := os.ReadFile(filepath.Join(launcher, file.name))
		if err != nil {
			return fmt.Errorf("read the launcher: %w", err)
		}
		if err := writeFile(filepath.Join(dir, file.name), content, file.mode); err != nil {
			return err
		}
	}
	if err := writeJSON(filepath.Join(dir, "platforms.json"), platforms); err != nil {
		return err
	}
	return writeJSON(filepath.Join(dir, "package.json"), manifest{
		Name: name, Version: release.Version, License: "MIT",
		Description: "A terminal client for coding agents that speak the Agent Client Protocol",
		Bin:         map[string]string{"parley": "parley.js"}, Engines: map[string]string{"node": ">=18"},
		Optional: optional, Files: []string{"parley.js", "platforms.json", "README.md"},
	})
}

// writeProgram writes the package of one program. key is Node's name of the platform.
func writeProgram(name, version, path string, a artifact, out string) (p platform, key string, err error) {
	system, processor := renamed(systems, a.GoOS), renamed(processors, a.GoArch)
	key = system + "-" + processor
	content, err := os.ReadFile(path)
	if err != nil {
		return p, "", fmt.Errorf("read the program for %s: %w", key, err)
	}
	sum := sha256.Sum256(content)
	p = platform{Package: name + "-" + key, Program: filepath.Base(path), SHA256: hex.EncodeToString(sum[:])}
	dir := filepath.Join(out, "parley-"+key)
	if err := writeFile(filepath.Join(dir, p.Program), content, 0o755); err != nil {
		return p, "", err
	}
	return p, key, writeJSON(filepath.Join(dir, "package.json"), manifest{
		Name: p.Package, Version: version, License: "MIT", Description: "The program of parley for " + key,
		OS: []string{system}, CPU: []string{processor}, Files: []string{p.Program}, PreferUnplug: true,
	})
}

func renamed(names map[string]string, name string) string {
	if other, is := names[name]; is {
		return other
	}
	return name
}

func readJSON(path string, into any) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the output of GoReleaser: %w", err)
	}
	if err := json.Unmarshal(content, into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

func writeJSON(path string, value any) error {
	content, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return writeFile(path, append(content, '\n'), 0o644)
}

// writeFile writes a file and creates its folder.
func writeFile(path string, content []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("create the folder of a package: %w", err)
	}
	if err := os.WriteFile(path, content, mode); err != nil {
		return fmt.Errorf("write a package: %w", err)
	}
	return nil
}
