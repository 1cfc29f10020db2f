package conversation

import (
	"regexp"
	"strings"
	"sync"
)

// Output is what a tool gave, without the tags that are for the model. Only the
// shapes that the agent is known to send are taken apart: tags elsewhere are what
// a program printed.
func (q Quirks) Output(text string) string {
	if !q.TaggedOutput {
		return text
	}
	for _, s := range shapes() {
		if s.fits.MatchString(text) {
			return strings.Trim(s.tags.ReplaceAllString(text, ""), "\n")
		}
	}
	return text
}

// shape is a form of tagged output.
type shape struct{ fits, tags *regexp.Regexp }

// shapes are the forms of tagged output: which texts have the form, and what is
// taken out of them. They are compiled when the first agent needs them, which most
// do not.
var shapes = sync.OnceValue(func() []shape {
	return []shape{
		// The result of a subagent. Its summary stays.
		{
			regexp.MustCompile(`\A\s*<task id="[^"]*"[^>]*>\n[\s\S]*</task>\s*\z`),
			regexp.MustCompile(`(?m)^</?task(_result|_error)?( [^>]*)?>\n?|</?summary>`),
		},
		// A file or a folder. The heading of the call says which.
		{
			regexp.MustCompile(`\A\s*<path>[^\n]*</path>\n<type>[a-z]+</type>\n<(content|entries)>`),
			regexp.MustCompile(`\A\s*<path>[^\n]*</path>\n<type>[a-z]+</type>\n<(content|entries)>\n?|\n?</(content|entries)>\s*(<system-reminder>[\s\S]*</system-reminder>\s*)?\z`),
		},
		// Instructions that were loaded for the model.
		{
			regexp.MustCompile(`\A\s*<skill_content name="[^"]*">`),
			regexp.MustCompile(`(?m)^</?skill_(content|files)( [^>]*)?>\n?|</?file>`),
		},
		// What a command printed, with a word about how it ended.
		{
			regexp.MustCompile(`<shell_metadata>\n[\s\S]*</shell_metadata>\s*\z`),
			regexp.MustCompile(`</?shell_metadata>\n?`),
		},
	}
})
