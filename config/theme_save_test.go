package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestKeepsATheme(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"nothing", "", "theme = \"nord\"\n"},
		{"another", "# mine\ntheme = 'dark' # for the night\nvim = true\n", "# mine\ntheme = \"nord\" # for the night\nvim = true\n"},
		{"none", "vim = true # fine\n[agents.a]\ncommand = \"x\"\n", "theme = \"nord\"\nvim = true # fine\n[agents.a]\ncommand = \"x\"\n"},
		{"a comment", "# colours\n# theme = \"auto\"\nvim = true\n", "# colours\n# theme = \"auto\"\ntheme = \"nord\"\nvim = true\n"},
		{"a comment at the end", "#theme = \"auto\"", "#theme = \"auto\"\ntheme = \"nord\"\n"},
		{"a comment in a table", "[agents.a]\ncommand = \"x\"\n#theme = \"auto\"\n", "theme = \"nord\"\n[agents.a]\ncommand = \"x\"\n#theme = \"auto\"\n"},
		{"a byte order mark", "\ufeffvim = true\r\n", "\ufefftheme = \"nord\"\r\nvim = true\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "parley", "config.toml")
			if c.before != "" {
				if err := MakeDir(filepath.Dir(file)); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(c.before), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			if err := SaveTheme(file, "nord"); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(file); err != nil || string(got) != c.after {
				t.Errorf("the file is %q (%v), want %q", got, err, c.after)
			}
			if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
				t.Errorf("there are %v beside it", left)
			}
		})
	}
}

// The example loses nothing, and the theme stands where it is explained.
func TestKeepsAThemeInTheExample(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(file, []byte(Example()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []Theme{"dracula", ThemeAuto} {
		if err := SaveTheme(file, name); err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(Example(), "#theme = \"auto\"\n", "#theme = \"auto\"\ntheme = \""+string(name)+"\"\n", 1)
		if got, _ := os.ReadFile(file); string(got) != want {
			t.Errorf("with %s it is:\n%s", name, got)
		}
	}
}

func TestAFileWithMistakesKeepsNoTheme(t *testing.T) {
	for _, before := range []string{"theme = \n", "thme = \"dark\"\n"} {
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := SaveTheme(file, "nord"); err == nil || !strings.Contains(err.Error(), "parley config check") {
			t.Errorf("the error is %v", err)
		}
		if got, _ := os.ReadFile(file); string(got) != before {
			t.Errorf("%q became %q", before, got)
		}
	}
}

// A configuration that is kept elsewhere stays there.
func TestALinkedConfigurationStaysALink(t *testing.T) {
	dir := t.TempDir()
	file, kept := filepath.Join(dir, "config.toml"), filepath.Join(dir, "dotfiles.toml")
	if err := os.WriteFile(kept, []byte("vim = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kept, file); err != nil {
		t.Skip(err)
	}
	if err := SaveTheme(file, "nord"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(file); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("it is no link: %v %v", info, err)
	}
	if got, _ := os.ReadFile(kept); string(got) != "theme = \"nord\"\nvim = true\n" {
		t.Errorf("the file is %q", got)
	}
}
