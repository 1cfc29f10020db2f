package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/schema"
	"parley/internal/termtext"
)

// ReportVersion is the version of the report's format. Adding fields does not change it.
const ReportVersion = 1

// Outcome is how an examination has ended.
type Outcome string

// The outcomes.
const (
	// Clean means that nothing was found.
	Clean Outcome = "clean"
	// Deviates means that there are errors or warnings.
	Deviates Outcome = "deviations"
	// NotExamined means that the agent did not start or failed at initialize.
	NotExamined Outcome = "not_examined"
	// Incomplete means that nothing was found, but not everything was examined.
	Incomplete Outcome = "incomplete"
)

// Report is the result of an exam. Its texts are sanitised, and without secrets.
type Report struct {
	V       int     `json:"v"`
	Outcome Outcome `json:"outcome"`
	// Why says why the exam is incomplete.
	Why string `json:"why,omitempty"`
	// Command is the agent's command line; "" if it listens at URL.
	Command string `json:"command"`
	URL     string `json:"url,omitempty"`
	// Agent is the agent's own information.
	Agent struct {
		Name    string `json:"name,omitempty"`
		Title   string `json:"title,omitempty"`
		Version string `json:"version,omitempty"`
	} `json:"agent"`
	// ProtocolVersion is the version that the agent chose, ProtocolOffered the one offered.
	ProtocolVersion int          `json:"protocolVersion,omitempty"`
	ProtocolOffered int          `json:"protocolOffered,omitempty"`
	Capabilities    []Capability `json:"capabilities"`
	// SignIn are the names of the sign-in methods.
	SignIn     []string  `json:"signIn"`
	Deviations []Finding `json:"deviations"`
	Notes      []Finding `json:"notes"`
	Timings    []Timing  `json:"timings"`
	// Tried lists the steps in order, NotTried the skipped ones with the reason.
	Tried    []string `json:"tried"`
	NotTried []string `json:"notTried"`
	// Stderr is what the agent wrote to stderr when it failed.
	Stderr string `json:"stderr,omitempty"`
	// Lines is the number of lines in both directions.
	Lines int `json:"lines"`

	clean func(string) string // see Options.Clean
}

// Capability is a capability of the protocol.
type Capability struct {
	Name       string `json:"name"`
	Advertised bool   `json:"advertised"`
}

// Finding is a deviation from a rule, or a note.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	// Message says what is wrong.
	Message string `json:"message"`
	// Page is the address of the rule in the specification.
	Page string `json:"page"`
	// Line is the number of the line on the wire, or 0; From is its sender, and Excerpt its
	// beginning.
	Line    int         `json:"line,omitempty"`
	From    schema.Side `json:"from,omitempty"`
	Excerpt string      `json:"excerpt,omitempty"`
	// Count is the number of occurrences; Line is the first one.
	Count int `json:"count"`
}

// Timing is how long something took.
type Timing struct {
	What         string  `json:"what"`
	Milliseconds float64 `json:"ms"`
}

// mostOfRule limits the different findings of a rule. The last one counts all others.
const mostOfRule = 8

// find adds a finding or counts it again.
func (r *Report) find(f Finding) {
	list := &r.Deviations
	if f.Severity == Note {
		list = &r.Notes
	}
	same := 0
	for i := range *list {
		had := &(*list)[i]
		if had.Rule != f.Rule {
			continue
		}
		if same++; had.Message == f.Message || same == mostOfRule {
			had.Count++
			return
		}
	}
	f.Count = 1
	*list = append(*list, f)
}

func (r *Report) timing(what string, d time.Duration) {
	r.Timings = append(r.Timings, Timing{what, float64(d.Microseconds()) / 1000})
}

func (r *Report) untried(what string) { r.NotTried = append(r.NotTried, what) }

// settle sorts the findings, errors first, and sets the outcome.
func (r *Report) settle() {
	order := map[Severity]int{Error: 0, Warning: 1, Note: 2}
	slices.SortStableFunc(r.Deviations, func(a, b Finding) int { return order[a.Severity] - order[b.Severity] })
	switch {
	case r.Outcome == NotExamined:
	case len(r.Deviations) > 0:
		r.Outcome = Deviates
	case r.Why != "":
		r.Outcome = Incomplete
	default:
		r.Outcome = Clean
	}
}

// Text returns the report as text.
func (r *Report) Text() string {
	var b strings.Builder
	r.head(&b)
	var capabilities, timings, stderr []string
	for _, c := range r.Capabilities {
		has := "-"
		if c.Advertised {
			has = "yes"
		}
		capabilities = append(capabilities, fmt.Sprintf("%-42s %s", c.Name, has))
	}
	section(&b, "Capabilities", capabilities)
	findings(&b, "Deviations", r.Deviations)
	findings(&b, "Notes", r.Notes)
	for _, t := range r.Timings {
		timings = append(timings, fmt.Sprintf("%-42s %9.1f ms", t.What, t.Milliseconds))
	}
	section(&b, "Timings", timings)
	section(&b, "Not tried", r.NotTried)
	for line := range strings.Lines(r.Stderr) {
		stderr = append(stderr, strings.TrimRight(line, "\n"))
	}
	section(&b, "Last lines of stderr", stderr)
	b.WriteString("\n" + r.verdict() + "\n")
	return wrapped(b.String())
}

// section writes a title and indented lines, if there are any.
func section(b *strings.Builder, title string, lines []string) {
	if len(lines) > 0 {
		b.WriteString("\n" + title + "\n  " + strings.Join(lines, "\n  ") + "\n")
	}
}

const (
	// longestLine limits the lines of the text, in cells.
	longestLine = 200
	// continued indents the continuation of a line.
	continued = "      "
)

// wrapped breaks lines that are too long, and indents the continuations.
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

func (r *Report) head(b *strings.Builder) {
	name := r.Agent.Name
	if r.Agent.Title != "" && r.Agent.Title != name {
		name = strings.TrimSpace(r.Agent.Title + " (" + name + ")")
	}
	b.WriteString(strings.TrimSpace(cmp.Or(name, "Unnamed agent")+" "+r.Agent.Version) + "\n")
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

// verdict returns the last line of the report.
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
	text := fmt.Sprintf("%s, %s, in %d lines.", termtext.Count(errors, "error"), termtext.Count(warnings, "warning"), r.Lines)
	if r.Why != "" {
		text += " The test is incomplete: " + r.Why + "."
	}
	return text
}
