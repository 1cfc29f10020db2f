package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// released makes packages of a release with one program, for this machine, and puts
// them where npm would.
func released(t *testing.T, program string) (main, installed string) {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"dist/metadata.json": `{"version": "1.2.3"}`,
		"dist/artifacts.json": fmt.Sprintf(`[{"type": "Binary", "path": "dist/built/parley", "goos": %q, "goarch": %q},
			{"type": "Archive", "path": "dist/parley.tar.gz", "goos": "linux", "goarch": "amd64"}]`, runtime.GOOS, runtime.GOARCH),
		"dist/built/parley": program,
	} {
		if err := writeFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	modules := filepath.Join(root, "node_modules", "@some")
	if err := writeNPM("@some/parley", filepath.Join(root, "dist"), modules, "npm"); err != nil {
		t.Fatal(err)
	}
	programs, err := filepath.Glob(filepath.Join(modules, "parley-*", "parley"))
	if err != nil || len(programs) != 1 {
		t.Fatalf("programs: %q, %v", programs, err)
	}
	return filepath.Join(modules, "parley", "parley.js"), programs[0]
}

func TestLauncherStartsTheProgramOfTheRelease(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node to run the launcher with")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the program of this test is a shell script")
	}
	launcher, program := released(t, "#!/bin/sh\necho \"$# arguments: $*\"\nexit 7\n")
	out, err := exec.Command(node, launcher, "run", "two words").CombinedOutput()
	if got := string(out); got != "2 arguments: run two words\n" || exitCode(err) != 7 {
		t.Errorf("%q, %v", got, err)
	}

	// A program that was changed is not started, nor does one that is missing go untold.
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho something else\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	out, err = exec.Command(node, launcher).CombinedOutput()
	if got := string(out); !strings.Contains(got, "is not the program of this release") || exitCode(err) != 1 {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	out, err = exec.Command(node, launcher).CombinedOutput()
	if got := string(out); !strings.Contains(got, "cannot be read") || exitCode(err) != 1 {
		t.Errorf("%q, %v", got, err)
	}
}

func exitCode(err error) int {
	if ended, is := err.(*exec.ExitError); is {
		return ended.ExitCode()
	}
	return -1
}

func TestPackagesSayWhatTheyAreFor(t *testing.T) {
	launcher, program := released(t, "a program")
	for path, wants := range map[string][]string{
		filepath.Join(filepath.Dir(launcher), "package.json"): {`"name": "@some/parley"`, `"version": "1.2.3"`, `"optionalDependencies": {`, `: "1.2.3"`},
		filepath.Join(filepath.Dir(program), "package.json"):  {`"name": "@some/parley-`, `"os": [`, `"cpu": [`},
	} {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range append(wants, `"license": "MIT"`) {
			if !strings.Contains(string(content), want) {
				t.Errorf("%s has no %s:\n%s", path, want, content)
			}
		}
		if strings.Contains(string(content), "install\"") {
			t.Errorf("%s runs something when it is installed:\n%s", path, content)
		}
	}
}
