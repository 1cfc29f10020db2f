package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// saved returns a configuration file after a change.
func saved(t *testing.T, before string, change func(file string) error) (after string, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.toml")
	if before != "" {
		if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err = change(file)
	got, _ := os.ReadFile(file)
	return string(got), err
}

// A default stands where the agent is configured, and leaves no trace when it is undone.
func TestSavesADefault(t *testing.T) {
	const command = "[agents.a]\ncommand = \"x\"\n"
	for _, c := range []struct {
		name, before  string
		agent, option string
		value         any
		after         string
		undone        string // "" is before
	}{
		{"no file", "", "claude", "", "plan", "[agents.claude]\nmode = \"plan\"\n", ""},
		{"an agent that is not in the file", "vim = true\n", "claude", "", "plan", "vim = true\n\n[agents.claude]\nmode = \"plan\"\n", ""},
		{"a last line without an end", "vim = true", "claude", "model", "m", "vim = true\n\n[agents.claude]\noptions.model = \"m\"\n", "vim = true\n"},
		{"the mode", "# mine\n" + command + "# end\n", "a", "", "plan", "# mine\n[agents.a]\nmode = \"plan\"\ncommand = \"x\"\n# end\n", ""},
		{"another mode", "[agents.a]\ncommand = \"x\"\nmode  =  'ask' # first\n", "a", "", "plan", "[agents.a]\ncommand = \"x\"\nmode  =  \"plan\" # first\n", command},
		{"an option", command, "a", "model", "m", "[agents.a]\noptions.model = \"m\"\ncommand = \"x\"\n", ""},
		{"a switch", command, "a", "web", true, "[agents.a]\noptions.web = true\ncommand = \"x\"\n", ""},
		{"another value of a switch", "[agents.a]\noptions.web = true\ncommand = \"x\"\n", "a", "web", false, "[agents.a]\noptions.web = false\ncommand = \"x\"\n", command},
		{"a table of options", command + "[agents.a.options]\nweb = true\n[keys]\n", "a", "model", "m", command + "[agents.a.options]\nmodel = \"m\"\nweb = true\n[keys]\n", ""},
		{"an inline table", command + "options = { web = true } # c\n", "a", "model", "m", command + "options = { web = true, model = \"m\" } # c\n", ""},
		{"an empty inline table", command + "options = {}\n", "a", "model", "m", command + "options = { model = \"m\" }\n", command + "options = {  }\n"},
		{"the first of an inline table", command + "options = { model = \"l\", web = true }\n", "a", "model", "m", command + "options = { model = \"m\", web = true }\n", command + "options = { web = true }\n"},
		{"an odd key", command, "a", "the model", `say "m"`, "[agents.a]\noptions.\"the model\" = \"say \\\"m\\\"\"\ncommand = \"x\"\n", ""},
		{"line ends of Windows", "\ufeffvim = true\r\n", "claude", "", "plan", "\ufeffvim = true\r\n\r\n[agents.claude]\r\nmode = \"plan\"\r\n", ""},
		{"tables behind it", command + "[agents.a.rules]\nallow = []\n[agents.b]\ncommand = \"y\"\n", "b", "", "plan", command + "[agents.a.rules]\nallow = []\n[agents.b]\nmode = \"plan\"\ncommand = \"y\"\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := saved(t, c.before, func(file string) error { return SaveDefault(file, c.agent, c.option, c.value) })
			if err != nil || got != c.after {
				t.Errorf("the file is %q (%v), want %q", got, err, c.after)
			}
			want := c.undone
			if want == "" {
				want = c.before
			}
			got, err = saved(t, c.after, func(file string) error { return SaveDefault(file, c.agent, c.option, nil) })
			if err != nil || got != want {
				t.Errorf("undone it is %q (%v), want %q", got, err, want)
			}
		})
	}
}

// SaveDefault changes nothing in a file with errors, for an unknown agent, or in a layout
// that parley cannot edit.
func TestSavesNoDefault(t *testing.T) {
	for _, c := range []struct{ name, before, agent, want string }{
		{"errors", "mode = \n", "claude", "parley config check"},
		{"an unknown agent", "vim = true\n", "nobody", "by hand"},
		{"an inline agent", "agents = { a = { command = \"x\" } }\n", "a", "by hand"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := saved(t, c.before, func(file string) error { return SaveDefault(file, c.agent, "model", "m") })
			if err == nil || !strings.Contains(err.Error(), c.want) || got != c.before {
				t.Errorf("the file is %q, the error %v", got, err)
			}
		})
	}
}

// An agent that parley has installed gets its defaults in the configuration, too.
func TestSavesADefaultOfAnInstalledAgent(t *testing.T) {
	got, err := saved(t, "", func(file string) error {
		if _, err := AddedBeside(file).Put(Added{ID: "new", Command: "new-agent"}); err != nil {
			return err
		}
		return SaveDefault(file, "new", "", "plan")
	})
	if err != nil || got != "[agents.new]\nmode = \"plan\"\n" {
		t.Errorf("the file is %q (%v)", got, err)
	}
}
