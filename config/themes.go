package config

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// BuiltInTheme is a theme of parley's.
type BuiltInTheme struct {
	Name  Theme
	About string
	// Dark means that it is for dark backgrounds.
	Dark    bool
	Colours Colours
}

// Colours are the colours of a theme, each "#rrggbb", by what they mean. Frame is the frame
// of dialogs, Badge and Chosen are behind labels and behind the selection, Prompt is behind
// the user's messages, and the last four are behind the lines and words of diffs.
type Colours struct {
	Text, Strong, Muted, Faint, Line               string
	Accent, Info, Success, Warning, Error, Special string
	Frame, Badge, Chosen, Prompt                   string
	Added, AddedWord, Removed, RemovedWord         string
}

// NamedColour is one of [Colours] under its name in a theme file.
type NamedColour struct {
	Name string
	At   *string
}

// Named returns all colours with their names in a theme file, such as added_word.
func (c *Colours) Named() (list []NamedColour) {
	fields := reflect.ValueOf(c).Elem()
	for i := range fields.NumField() {
		name := strings.ToLower(inner.ReplaceAllString(fields.Type().Field(i).Name, "_$0"))
		list = append(list, NamedColour{name, fields.Field(i).Addr().Interface().(*string)})
	}
	return list
}

// inner matches a word's first letter behind another word.
var inner = regexp.MustCompile(`\B[A-Z]`)

// BuiltInThemes returns parley's themes, in the order of the theme list.
func BuiltInThemes() []BuiltInTheme { return slices.Clone(builtInThemes) }

var builtInThemes = []BuiltInTheme{
	{Name: ThemeDark, About: "parley's own, on dark", Dark: true, Colours: Colours{
		Text: "#d6d7e0", Strong: "#f3f4fa", Muted: "#9a9db0", Faint: "#8b8ea3", Line: "#3a3d4d",
		Accent: "#e6a15c", Frame: "#4fc3c7", Info: "#7aa8f0", Success: "#8cc98a", Warning: "#e3c37a", Error: "#ee7f8b", Special: "#b79af2",
		Badge: "#23252f", Chosen: "#2f3240", Prompt: "#2a2d39",
		Added: "#17301f", AddedWord: "#265c37", Removed: "#3a1a20", RemovedWord: "#74303b",
	}},
	{Name: ThemeLight, About: "parley's own, on light", Colours: Colours{
		Text: "#2b2d3a", Strong: "#11121a", Muted: "#585b70", Faint: "#666980", Line: "#cdd0db",
		Accent: "#9a520b", Frame: "#0a7d82", Info: "#2457b3", Success: "#20682a", Warning: "#7a5708", Error: "#b3243a", Special: "#6b3fc0",
		Badge: "#eff0f5", Chosen: "#e2e4ec", Prompt: "#e6e8f0",
		Added: "#ddf5e0", AddedWord: "#a8e2b1", Removed: "#fde4e6", RemovedWord: "#f6b6bd",
	}},
	{Name: "dracula", About: "Dracula: purple and pink on dark", Dark: true, Colours: Colours{
		Text: "#f8f8f2", Strong: "#ffffff", Muted: "#b3b9d1", Faint: "#8e98c0", Line: "#44475a",
		Accent: "#ffb86c", Frame: "#8be9fd", Info: "#82aaff", Success: "#50fa7b", Warning: "#f1fa8c", Error: "#ff7777", Special: "#bd93f9",
		Badge: "#282a36", Chosen: "#373a4d", Prompt: "#2c2e3b",
		Added: "#14351f", AddedWord: "#1f6136", Removed: "#401c26", RemovedWord: "#7a2a38",
	}},
	{Name: "gruvbox-dark", About: "Gruvbox: warm and soft on dark", Dark: true, Colours: Colours{
		Text: "#ebdbb2", Strong: "#fbf1c7", Muted: "#bdae93", Faint: "#a89984", Line: "#504945",
		Accent: "#fe8019", Frame: "#8ec07c", Info: "#83a598", Success: "#b8bb26", Warning: "#fabd2f", Error: "#fb6a5a", Special: "#d3869b",
		Badge: "#282828", Chosen: "#3c3836", Prompt: "#32302f",
		Added: "#2b3312", AddedWord: "#4d5a14", Removed: "#42201c", RemovedWord: "#7c2a24",
	}},
	{Name: "nord", About: "Nord: cool and quiet on dark", Dark: true, Colours: Colours{
		Text: "#e5e9f0", Strong: "#f4f6fa", Muted: "#b4bdcc", Faint: "#98a4ba", Line: "#434c5e",
		Accent: "#d99a80", Frame: "#8fd0cb", Info: "#88b4e0", Success: "#a3be8c", Warning: "#ebcb8b", Error: "#e48b94", Special: "#c5a3c4",
		Badge: "#2a303c", Chosen: "#353d4c", Prompt: "#2e3440",
		Added: "#1f3526", AddedWord: "#34603f", Removed: "#42242a", RemovedWord: "#763640",
	}},
	{Name: "tokyo-night", About: "Tokyo Night: blue and violet on dark", Dark: true, Colours: Colours{
		Text: "#c8d0f5", Strong: "#e9edff", Muted: "#a3add4", Faint: "#8790bd", Line: "#3b4261",
		Accent: "#ff9e64", Frame: "#5fd7c4", Info: "#7aa2f7", Success: "#9ece6a", Warning: "#e0af68", Error: "#f7768e", Special: "#bb9af7",
		Badge: "#1f2335", Chosen: "#2c3352", Prompt: "#24283b",
		Added: "#163024", AddedWord: "#225a3f", Removed: "#3a1c28", RemovedWord: "#722b3f",
	}},
	{Name: "colour-blind-dark", About: "blue and orange in place of green and red, on dark", Dark: true, Colours: Colours{
		Text: "#dcdde4", Strong: "#ffffff", Muted: "#a7aab8", Faint: "#9497a8", Line: "#3f4252",
		Accent: "#f0e442", Frame: "#cfa3e0", Info: "#a9bcd8", Success: "#56b4e9", Warning: "#f2d16b", Error: "#ff8f3d", Special: "#f0a8c8",
		Badge: "#23252f", Chosen: "#2f3240", Prompt: "#2a2d39",
		Added: "#10294a", AddedWord: "#1c4f8c", Removed: "#40270a", RemovedWord: "#7d4a08",
	}},
	{Name: "high-contrast-dark", About: "the strongest contrast, on dark", Dark: true, Colours: Colours{
		Text: "#ffffff", Strong: "#ffffff", Muted: "#e2e2e2", Faint: "#d0d0d0", Line: "#9a9a9a",
		Accent: "#ffc04d", Frame: "#00ffff", Info: "#9ecbff", Success: "#7cf57c", Warning: "#ffff66", Error: "#ffa3a3", Special: "#e0b8ff",
		Badge: "#1c1c1c", Chosen: "#303030", Prompt: "#262626",
		Added: "#04300f", AddedWord: "#0b5420", Removed: "#4a0a0a", RemovedWord: "#7a1010",
	}},
	{Name: "gruvbox-light", About: "Gruvbox: warm and soft on light", Colours: Colours{
		Text: "#3c3836", Strong: "#1d2021", Muted: "#665c54", Faint: "#71655a", Line: "#d5c4a1",
		Accent: "#af3a03", Frame: "#427b58", Info: "#076678", Success: "#5f5c07", Warning: "#8a5a06", Error: "#9d0006", Special: "#8f3f71",
		Badge: "#f4ecd0", Chosen: "#ebdfbd", Prompt: "#f0e6c6",
		Added: "#e9efc8", AddedWord: "#cfdc8e", Removed: "#fbdfd2", RemovedWord: "#f3b7a4",
	}},
	{Name: "solarized-light", About: "Solarized: even and mild on light", Colours: Colours{
		Text: "#3f545b", Strong: "#073642", Muted: "#566a71", Faint: "#5f6f77", Line: "#d6cfb8",
		Accent: "#b34316", Frame: "#24958c", Info: "#206ba2", Success: "#5c6d00", Warning: "#826700", Error: "#c12523", Special: "#5e63bd",
		Badge: "#f4eedb", Chosen: "#eae3cb", Prompt: "#f0e9d3",
		Added: "#e4edcf", AddedWord: "#c3d893", Removed: "#fbe0d8", RemovedWord: "#f4b8ab",
	}},
	{Name: "colour-blind-light", About: "blue and orange in place of green and red, on light", Colours: Colours{
		Text: "#2b2d3a", Strong: "#11121a", Muted: "#585b70", Faint: "#63667c", Line: "#cdd0db",
		Accent: "#8a5a00", Frame: "#7a3f94", Info: "#44546a", Success: "#0b5fa5", Warning: "#7a5f00", Error: "#a84300", Special: "#9c3d74",
		Badge: "#eff0f5", Chosen: "#e2e4ec", Prompt: "#e6e8f0",
		Added: "#dbeafd", AddedWord: "#a9cdf7", Removed: "#fde6cf", RemovedWord: "#fbc48a",
	}},
	{Name: "high-contrast-light", About: "the strongest contrast, on light", Colours: Colours{
		Text: "#000000", Strong: "#000000", Muted: "#2e2e2e", Faint: "#3d3d3d", Line: "#6a6a6a",
		Accent: "#7a3500", Frame: "#005f66", Info: "#00338f", Success: "#00491a", Warning: "#544000", Error: "#8a0010", Special: "#4d1a8f",
		Badge: "#f2f2f2", Chosen: "#e2e2e2", Prompt: "#ececec",
		Added: "#d9f7df", AddedWord: "#a6e8b4", Removed: "#ffe0e0", RemovedWord: "#ffb8b8",
	}},
}
