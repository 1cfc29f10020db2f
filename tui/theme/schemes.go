package theme

// schemes are the built-in schemes, in the order of the theme list.
var schemes = []*Scheme{
	{Name: "dark", About: "parley's own, on dark", Dark: true, colours: darkPalette, few: dark256},
	{Name: "light", About: "parley's own, on light", colours: lightPalette, few: light256},
	{Name: "dracula", About: "Dracula: purple and pink on dark", Dark: true, colours: withCode(palette{
		text: "#f8f8f2", strong: "#ffffff", muted: "#b3b9d1", faint: "#8e98c0", line: "#44475a",
		accent: "#ffb86c", frame: "#8be9fd", blue: "#82aaff", green: "#50fa7b", yellow: "#f1fa8c", red: "#ff7777", violet: "#bd93f9",
		surface: "#282a36", raised: "#373a4d", prompt: "#2c2e3b",
		addBg: "#14351f", addWord: "#1f6136", delBg: "#401c26", delWord: "#7a2a38",
	})},
	{Name: "gruvbox-dark", About: "Gruvbox: warm and soft on dark", Dark: true, colours: withCode(palette{
		text: "#ebdbb2", strong: "#fbf1c7", muted: "#bdae93", faint: "#a89984", line: "#504945",
		accent: "#fe8019", frame: "#8ec07c", blue: "#83a598", green: "#b8bb26", yellow: "#fabd2f", red: "#fb6a5a", violet: "#d3869b",
		surface: "#282828", raised: "#3c3836", prompt: "#32302f",
		addBg: "#2b3312", addWord: "#4d5a14", delBg: "#42201c", delWord: "#7c2a24",
	})},
	{Name: "nord", About: "Nord: cool and quiet on dark", Dark: true, colours: withCode(palette{
		text: "#e5e9f0", strong: "#f4f6fa", muted: "#b4bdcc", faint: "#98a4ba", line: "#434c5e",
		accent: "#d99a80", frame: "#8fd0cb", blue: "#88b4e0", green: "#a3be8c", yellow: "#ebcb8b", red: "#e48b94", violet: "#c5a3c4",
		surface: "#2a303c", raised: "#353d4c", prompt: "#2e3440",
		addBg: "#1f3526", addWord: "#34603f", delBg: "#42242a", delWord: "#763640",
	})},
	{Name: "tokyo-night", About: "Tokyo Night: blue and violet on dark", Dark: true, colours: withCode(palette{
		text: "#c8d0f5", strong: "#e9edff", muted: "#a3add4", faint: "#8790bd", line: "#3b4261",
		accent: "#ff9e64", frame: "#5fd7c4", blue: "#7aa2f7", green: "#9ece6a", yellow: "#e0af68", red: "#f7768e", violet: "#bb9af7",
		surface: "#1f2335", raised: "#2c3352", prompt: "#24283b",
		addBg: "#163024", addWord: "#225a3f", delBg: "#3a1c28", delWord: "#722b3f",
	})},
	{Name: "colour-blind-dark", About: "blue and orange in place of green and red, on dark", Dark: true, colours: withCode(palette{
		text: "#dcdde4", strong: "#ffffff", muted: "#a7aab8", faint: "#9497a8", line: "#3f4252",
		accent: "#f0e442", frame: "#cfa3e0", blue: "#a9bcd8", green: "#56b4e9", yellow: "#f2d16b", red: "#ff8f3d", violet: "#f0a8c8",
		surface: "#23252f", raised: "#2f3240", prompt: "#2a2d39",
		addBg: "#10294a", addWord: "#1c4f8c", delBg: "#40270a", delWord: "#7d4a08",
	})},
	{Name: "high-contrast-dark", About: "the strongest contrast, on dark", Dark: true, colours: withCode(palette{
		text: "#ffffff", strong: "#ffffff", muted: "#e2e2e2", faint: "#d0d0d0", line: "#9a9a9a",
		accent: "#ffc04d", frame: "#00ffff", blue: "#9ecbff", green: "#7cf57c", yellow: "#ffff66", red: "#ffa3a3", violet: "#e0b8ff",
		surface: "#1c1c1c", raised: "#303030", prompt: "#262626",
		addBg: "#04300f", addWord: "#0b5420", delBg: "#4a0a0a", delWord: "#7a1010",
	})},
	{Name: "gruvbox-light", About: "Gruvbox: warm and soft on light", colours: withCode(palette{
		text: "#3c3836", strong: "#1d2021", muted: "#665c54", faint: "#71655a", line: "#d5c4a1",
		accent: "#af3a03", frame: "#427b58", blue: "#076678", green: "#5f5c07", yellow: "#8a5a06", red: "#9d0006", violet: "#8f3f71",
		surface: "#f4ecd0", raised: "#ebdfbd", prompt: "#f0e6c6",
		addBg: "#e9efc8", addWord: "#cfdc8e", delBg: "#fbdfd2", delWord: "#f3b7a4",
	})},
	{Name: "solarized-light", About: "Solarized: even and mild on light", colours: withCode(palette{
		text: "#3f545b", strong: "#073642", muted: "#566a71", faint: "#5f6f77", line: "#d6cfb8",
		accent: "#b34316", frame: "#24958c", blue: "#206ba2", green: "#5c6d00", yellow: "#826700", red: "#c12523", violet: "#5e63bd",
		surface: "#f4eedb", raised: "#eae3cb", prompt: "#f0e9d3",
		addBg: "#e4edcf", addWord: "#c3d893", delBg: "#fbe0d8", delWord: "#f4b8ab",
	})},
	{Name: "colour-blind-light", About: "blue and orange in place of green and red, on light", colours: withCode(palette{
		text: "#2b2d3a", strong: "#11121a", muted: "#585b70", faint: "#63667c", line: "#cdd0db",
		accent: "#8a5a00", frame: "#7a3f94", blue: "#44546a", green: "#0b5fa5", yellow: "#7a5f00", red: "#a84300", violet: "#9c3d74",
		surface: "#eff0f5", raised: "#e2e4ec", prompt: "#e6e8f0",
		addBg: "#dbeafd", addWord: "#a9cdf7", delBg: "#fde6cf", delWord: "#fbc48a",
	})},
	{Name: "high-contrast-light", About: "the strongest contrast, on light", colours: withCode(palette{
		text: "#000000", strong: "#000000", muted: "#2e2e2e", faint: "#3d3d3d", line: "#6a6a6a",
		accent: "#7a3500", frame: "#005f66", blue: "#00338f", green: "#00491a", yellow: "#544000", red: "#8a0010", violet: "#4d1a8f",
		surface: "#f2f2f2", raised: "#e2e2e2", prompt: "#ececec",
		addBg: "#d9f7df", addWord: "#a6e8b4", delBg: "#ffe0e0", delWord: "#ffb8b8",
	})},
}
