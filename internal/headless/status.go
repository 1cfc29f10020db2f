package headless

// Status is how the work has ended.
type Status string

// The ways in which the work can end.
const (
	Answered         Status = "answered"
	Failed           Status = "failed"
	BadUsage         Status = "bad_usage"
	Refused          Status = "refused"
	Cancelled        Status = "cancelled"
	PermissionDenied Status = "permission_denied"
	AgentFailed      Status = "agent_failed"
	SignInNeeded     Status = "sign_in_needed"
	TimedOut         Status = "timeout"
	InputNeeded      Status = "input_needed"
	Incomplete       Status = "incomplete"
)

// Outcome says what a Status means to a program and to people.
type Outcome struct {
	Status Status
	// Code is the exit code of the program.
	Code  int
	Means string
}

// Outcomes lists every way a run can end, by exit code.
// The guide has the same table.
var Outcomes = []Outcome{
	{Answered, 0, "every prompt was answered, and only rules denied anything"},
	{Failed, 1, "parley failed: a mistake in the configuration, output that cannot be written"},
	{BadUsage, 2, "bad flags, or a mode or option that the agent does not have"},
	{Refused, 3, "the agent refused to continue"},
	{Cancelled, 4, "interrupted, or cancelled by the agent"},
	{PermissionDenied, 5, "something was denied because no rule allows it"},
	{AgentFailed, 6, "the agent did not start, exited, or answered with an error"},
	{SignInNeeded, 7, "the agent wants you to sign in"},
	{TimedOut, 8, "--timeout expired"},
	{InputNeeded, 9, "the agent wanted a form filled in"},
	{Incomplete, 10, "a limit of tokens, requests or --max-turns was reached"},
}

// ExitCode is the exit code for a status.
func (s Status) ExitCode() int {
	for _, o := range Outcomes {
		if o.Status == s {
			return o.Code
		}
	}
	return 1
}
