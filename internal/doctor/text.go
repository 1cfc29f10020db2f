package doctor

import (
	"fmt"
	"strings"

	"parley/internal/termtext"
)

// Text returns the report as text.
func (r *Report) Text() string {
	var b strings.Builder
	r.head(&b)
	if len(r.Capabilities) > 0 {
		b.WriteString("\nCapabilities\n")
		for _, c := range r.Capabilities {
			has := "-"
			if c.Advertised {
				has = "yes"
			}
			fmt.Fprintf(&b, "  %-42s %s\n", c.Name, has)
		}
	}
	findings(&b, "Deviations", r.Deviations)
	findings(&b, "Notes", r.Notes)
	if len(r.Timings) > 0 {
		b.WriteString("\nTimings\n")
		width := 0
		for _, t := range r.Timings {
			width = max(width, len(t.What))
		}
		for _, t := range r.Timings {
			fmt.Fprintf(&b, "  %-*s %9.1f ms\n", width, t.What, t.Milliseconds)
		}
	}
	if len(r.NotTried) > 0 {
		b.WriteString("\nNot tried\n")
		for _, what := range r.NotTried {
			b.WriteString("  " + what + "\n")
		}
	}
	if r.Stderr != "" {
		b.WriteString("\nLast lines of stderr\n")
		for line := range strings.Lines(r.Stderr) {
			b.WriteString("  " + strings.TrimRight(line, "\n") + "\n")
		}
	}
	b.WriteString("\n" + r.verdict() + "\n")
	return wrapped(b.String())
}

// longestLine bounds the lines of the text, in cells.
const longestLine = 200

// wrapped breaks lines that are too long. What follows is indented.
func wrapped(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if termtext.Width(line) <= longestLine {
			b.WriteString(line)
			continue
		}
		indent := ""
		for _, part := range termtext.Wrap(strings.TrimSuffix(line, "\n"), longestLine-len(continued)) {
			b.WriteString(indent + part + "\n")
			indent = continued
		}
	}
	return b.String()
}

// continued begins what is left of a line that was too long.
const continued = "      "

func (r *Report) head(b *strings.Builder) {
	name := r.Agent.Name
	if r.Agent.Title != "" && r.Agent.Title != name {
		name = strings.TrimSpace(r.Agent.Title + " (" + name + ")")
	}
	if name == "" {
		name = "Unnamed agent"
	}
	b.WriteString(strings.TrimSpace(name+" "+r.Agent.Version) + "\n")
	if r.URL != "" {
		fmt.Fprintf(b, "  listens   at %s\n", r.URL)
	} else {
		fmt.Fprintf(b, "  command   %s\n", r.Command)
	}
	if r.ProtocolVersion != 0 {
		offered := ""
		if r.ProtocolOffered != r.ProtocolVersion {
			offered = fmt.Sprintf(", offered version %d", r.ProtocolOffered)
		}
		fmt.Fprintf(b, "  protocol  version %d%s\n", r.ProtocolVersion, offered)
	}
	if len(r.SignIn) > 0 {
		fmt.Fprintf(b, "  sign in   %s\n", strings.Join(r.SignIn, ", "))
	}
}

func findings(b *strings.Builder, title string, list []Finding) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\n" + title + "\n")
	for i, f := range list {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "  %s  %s  %s\n", f.Severity, f.Rule, f.Message)
		if f.Line > 0 {
			more := ""
			if f.Count > 1 {
				more = fmt.Sprintf(", the first of %d", f.Count)
			}
			line := fmt.Sprintf("    line %d, from the %s%s: %s", f.Line, f.From, more, f.Excerpt)
			b.WriteString(termtext.Truncate(line, longestLine, "…") + "\n")
		} else if f.Count > 1 {
			fmt.Fprintf(b, "    %d times\n", f.Count)
		}
		fmt.Fprintf(b, "    %s\n", f.Page)
	}
}

// verdict is the last line of the report.
func (r *Report) verdict() string {
	errors, warnings := 0, 0
	for _, f := range r.Deviations {
		if f.Severity == Error {
			errors++
		} else {
			warnings++
		}
	}
	switch r.Outcome {
	case NotExamined:
		return "Not tested: " + r.Why + "."
	case Clean:
		return fmt.Sprintf("No deviations from the protocol in %d lines.", r.Lines)
	}
	text := fmt.Sprintf("%s, %s, in %d lines.", count(errors, "error"), count(warnings, "warning"), r.Lines)
	if r.Why != "" {
		text += " The test is incomplete: " + r.Why + "."
	}
	return text
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
