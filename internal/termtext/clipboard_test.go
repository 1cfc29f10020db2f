package termtext

import "testing"

func TestClipboard(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text is kept", "héllo, 世界\n\tx", "héllo, 世界\n\tx"},
		{"colours and titles are stripped", "\x1b[31mred\x1b[0m \x1b]0;owned\x07b", "red b"},
		{"CRLF becomes a newline", "a\r\nb\rc", "a\nb\nc"},
		{"what pastes are ended with is stripped", "a\x1b[201~b\u009bc", "abc"},
		{"bidi overrides are stripped", "a\u202eb\u2066c", "abc"},
		{"hidden letters are stripped", "a\u200bb\u00adc\u2060d\U000e0041e\U000e0101f\ufeffg\u3164h", "abcdefgh"},
		{"selectors and tags can hold text", "a\ufe01b\U000e01f0c 🏴\U000e0067\U000e0062\U000e0065\U000e007f", "abc 🏴"},
		{"emoji stay what they are", "👩\u200d💻 ❤️ 1️⃣ 👍🏽", "👩\u200d💻 ❤️ 1️⃣ 👍🏽"},
		{"joiners of scripts stay", "नमस्\u200cते می\u200cخواهم", "नमस्\u200cते می\u200cخواهم"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Clipboard(c.in); got != c.want {
				t.Errorf("Clipboard(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}
