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

// Outcomes are all ways in which the work can end, in the order of their exit codes.
// The guide has the same table.
var Outcomes = []Outcome{
	{Answered, 0, "every prompt was answered, and nothing was denied but by a rule"},
	{Failed, 1, "parley could not do its part: a mistake in the configuration, output that cannot be written"},
	{BadUsage, 2, "the command line is wrong, or names a mode or an option that the agent does not have"},
	{Refused, 3, "the agent refused to go on"},
	{Cancelled, 4, "it was interrupted, or the agent has cancelled the turn"},
	{PermissionDenied, 5, "something that the agent wanted to do was denied because no rule allows it"},
	{AgentFailed, 6, "the agent could not be started, has gone, or answered with an error"},
	{SignInNeeded, 7, "the agent wants somebody to sign in"},
	{TimedOut, 8, "the time given by --timeout was over"},
	{InputNeeded, 9, "the agent wanted somebody to fill in a form"},
	{Incomplete, 10, "a limit of tokens, of requests or of --max-turns was reached"},
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
