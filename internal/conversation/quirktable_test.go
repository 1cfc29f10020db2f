package conversation

import "testing"

func TestOf(t *testing.T) {
	if q := QuirksOf("somebody"); q.MissingFileIsEmpty || q.TaggedOutput || q.AnnouncedModes != nil {
		t.Errorf("an agent that nobody knows has quirks: %+v", q)
	}
	for _, name := range []string{"gemini-cli", "qwen-code", "iflow-cli"} {
		if !QuirksOf(name).MissingFileIsEmpty {
			t.Errorf("%s gets an error for a missing file", name)
		}
	}
}

func TestAnnounced(t *testing.T) {
	gemini := QuirksOf("gemini-cli")
	for chunk, want := range map[string]string{
		"[MODE_UPDATE] autoEdit": "autoEdit", "[MODE_UPDATE] plan\n": "plan",
		"[MODE_UPDATE] root": "", "[MODE_UPDATE] plan, and on": "", "autoEdit": "", "": "",
	} {
		if got, ok := gemini.Announced(chunk); ok != (want != "") || ok && got != want {
			t.Errorf("%q announces %q, %v", chunk, got, ok)
		}
	}
	if _, ok := QuirksOf("other").Announced("[MODE_UPDATE] plan"); ok {
		t.Error("an agent without the quirk announces a mode")
	}
	if !gemini.Safer("plan", "yolo") || gemini.Safer("yolo", "plan") || gemini.Safer("plan", "plan") {
		t.Error("the order of the modes is wrong")
	}
}

func TestOutput(t *testing.T) {
	opencode := QuirksOf("OpenCode")
	for name, c := range map[string]struct{ given, want string }{
		"a subagent": {
			"<task id=\"ses_1\" state=\"completed\">\n<summary>All well</summary>\n<task_result>\nIt **works**.\n<b>x</b>\n</task_result>\n</task>",
			"All well\nIt **works**.\n<b>x</b>",
		},
		"a subagent that failed": {"<task id=\"s\" state=\"error\">\n<task_error>\nno\n</task_error>\n</task>", "no"},
		"a command":              {"one\ntwo\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>", "one\ntwo\n\nUser aborted the command"},
		"a file": {
			"<path>/p/a.xml</path>\n<type>file</type>\n<content>\n1: <content>\n2: </content>\n\n(End of file - total 2 lines)\n</content>\n\n<system-reminder>\nbe good\n</system-reminder>",
			"1: <content>\n2: </content>\n\n(End of file - total 2 lines)",
		},
		"a folder":   {"<path>/p</path>\n<type>directory</type>\n<entries>\na\nb/\n</entries>", "a\nb/"},
		"a skill":    {"<skill_content name=\"x\">\n# Skill\n<skill_files>\n<file>/a</file>\n</skill_files>\n</skill_content>", "# Skill\n/a"},
		"a change":   {"Edit applied successfully.", ""},
		"a new file": {"Wrote file successfully.", ""},
		"a change with what is wrong with it": {
			"Edit applied successfully.\n\nLSP errors detected in this file, please fix:\nERROR [1:2] no", "LSP errors detected in this file, please fix:\nERROR [1:2] no",
		},
		"a sentence about changes": {"Edit applied successfully. Or not.", "Edit applied successfully. Or not."},
		"plain output":             {"<task>\nmine\n</task>\n", "<task>\nmine\n</task>\n"},
		"tags inside it":           {"<a>\n<path>x</path>\n</a>", "<a>\n<path>x</path>\n</a>"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := opencode.Output(c.given); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := QuirksOf("other").Output(c.given); got != c.given {
				t.Errorf("another agent's output became %q", got)
			}
		})
	}
}
