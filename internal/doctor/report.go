package doctor

import (
	"slices"
	"time"
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
	// NotExamined means that the agent did not start, or did not get through initialize.
	NotExamined Outcome = "not_examined"
	// Incomplete means that nothing was found, but that not all was examined.
	Incomplete Outcome = "incomplete"
)

// Report is the result of an examination. All texts in it are fit to be drawn.
type Report struct {
	V       int     `json:"v"`
	Outcome Outcome `json:"outcome"`
	// Why says why the agent was not examined, or not all of it.
	Why string `json:"why,omitempty"`
	// Command is what the agent was started with; "" if it listens at URL.
	Command string `json:"command"`
	URL     string `json:"url,omitempty"`
	// Agent is what the agent says of itself.
	Agent struct {
		Name    string `json:"name,omitempty"`
		Title   string `json:"title,omitempty"`
		Version string `json:"version,omitempty"`
	} `json:"agent"`
	// ProtocolVersion is the version that the agent speaks, and ProtocolOffered the one that
	// it was offered.
	ProtocolVersion int          `json:"protocolVersion,omitempty"`
	ProtocolOffered int          `json:"protocolOffered,omitempty"`
	Capabilities    []Capability `json:"capabilities"`
	// SignIn are the names of the methods to sign in.
	SignIn     []string  `json:"signIn"`
	Deviations []Finding `json:"deviations"`
	Notes      []Finding `json:"notes"`
	Timings    []Timing  `json:"timings"`
	// Tried lists the steps in order, NotTried those that were left out, with the reason.
	Tried    []string `json:"tried"`
	NotTried []string `json:"notTried"`
	// Stderr is what the agent wrote to stderr when it failed.
	Stderr string `json:"stderr,omitempty"`
	// Lines is the number of lines in both directions.
	Lines int `json:"lines"`
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
	// Page is where the protocol says so.
	Page string `json:"page"`
	// Line is the number of the line on the wire, 0 if it is about none; From is who has
	// sent it, and Excerpt how it begins.
	Line    int    `json:"line,omitempty"`
	From    Side   `json:"from,omitempty"`
	Excerpt string `json:"excerpt,omitempty"`
	// Count is how often it was found; the line is the first one.
	Count int `json:"count"`
}

// Timing is how long something took.
type Timing struct {
	What         string  `json:"what"`
	Milliseconds float64 `json:"ms"`
}

// mostOfRule bounds the different findings of a rule. The last one counts the others.
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
