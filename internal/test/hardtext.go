package test

import (
	"strings"

	"pgregory.net/rapid"
)

// samples are pieces of text that are hard to measure, by the reason. Each may appear
// anywhere in a line.
var samples = [][]string{
	// Words and parts of commands.
	{"a", "I", "to", "the", "rm", "echo", "npm", "sh"},
	{"--watch", "-rf", "foo-bar", "a-b-c", "~/important", "src/main.go", "x=1", "$HOME", "2>&1"},
	{"Donaudampfschifffahrtsgesellschaft", "https://example.com/a/very/long/path?with=a&query=too", strings.Repeat("w", 90)},
	// Letters one column wide everywhere, composed and decomposed.
	{"é", "ñandú", "Straße", "e\u0301", "a\u0308u\u0308", "Привет", "αβγ", "Việt", "Vie\u0323\u0302t"},
	{"z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f", "o\u0302\u0301\u0323\u0330\u0331\u0332\u0333\u0359"},
	// Wide characters.
	{"世界", "漢字仮名", "日本語、です。", "カタカナ", "ｶﾞｷﾞ", "（全角）", "한국어", "각"},
	{"\u1112\u1161\u11ab", "\u1100\u1100\u1161", "\u1112\u1161", "\u1161"},
	// Right to left, and signs before numbers.
	{"שלום", "שָׁלוֹם", "مرحبا", "السَّلَام", "\u0600\u0661\u0662", "\u06dd\u0663"},
	// Conjuncts and vowel signs.
	{"स्ते", "नमस्ते", "क्षत्रिय", "का", "কি", "தமிழ்", "ก็", "กำ", "ภาษาไทย", "ខ្មែរ", "မြန်မာ", "ക്ഷ"},
	{strings.Repeat("क्", 30) + "क"},
	// Emoji.
	{"👍", "🎉", "😀", "⌚", "☺", "✈", "©", "™"},
	{"👍🏽", "👋🏿", "☝🏻"},
	{"👨‍💻", "👨‍👩‍👧‍👦", "🏳️‍🌈", "❤️‍🔥", "👩🏽‍❤️‍💋‍👩🏿", strings.Repeat("👨‍", 20) + "👨"},
	{"❤️", "☺️", "✈️", "©️", "⚠️", "⌚︎", "☺︎"},
	{"1️⃣", "#️⃣", "*⃣"},
	{"🇩🇪", "🇯🇵🇫🇷", "🇩", "🇩🇪🇫", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"},
	// Marks without a base, and invisible characters.
	{"\u0301", "\u200d", "\ufe0f", "\u200b", "\u00ad", "\u2060", "🏽", "\u20e3", "\u0903"},
	// Invalid UTF-8.
	{"\ufffd", "\xff", "\xf0\x9f", "\xed\xa0\x80", "a\xcc"},
}

// weights say how often each kind of sample is drawn.
var weights = []int{6, 4, 1, 2, 1, 3, 1, 2, 2, 1, 2, 3, 3, 2, 2, 2, 1, 1}

// HardText generates one line of text in many scripts: words, emoji and marks in any
// order, with or without blanks between them. It contains no control characters, and
// nothing that begins a block in Markdown.
func HardText(most int) *rapid.Generator[string] {
	var kinds []int
	for kind, n := range weights {
		for range n {
			kinds = append(kinds, kind)
		}
	}
	piece := rapid.Custom(func(t *rapid.T) string {
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		gap := rapid.SampledFrom([]string{" ", " ", " ", " ", "", "", "  "}).Draw(t, "gap")
		return gap + rapid.SampledFrom(samples[kind]).Draw(t, "sample")
	})
	return rapid.Custom(func(t *rapid.T) string {
		return "t" + strings.Join(rapid.SliceOfN(piece, 1, most).Draw(t, "pieces"), "")
	})
}
