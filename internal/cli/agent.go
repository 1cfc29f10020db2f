package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/config"
	"parley/internal/app"
	"parley/internal/remote"
)

// named is the agent that the command line or the configuration names, nil if
// neither names one.
func (o *startOptions) named(cfg *config.Config) (*config.Agent, error) {
	name := o.agent
	if name == "" {
		name = cfg.DefaultAgent
	}
	switch {
	case o.words() != nil:
		a := app.AgentOf("", o.words())
		return &a, nil
	case name == "":
		return nil, nil
	}
	a, err := app.AgentNamed(cfg, name)
	if err != nil {
		return nil, err
	}
	return &a, nil
}

// connectFlag adds the flag that names an agent by where it listens.
func (o *startOptions) connectFlag(f *pflag.FlagSet) {
	f.StringVar(&o.connect, "connect", "", "connect to the agent at this `URL` (wss://, https://; on this machine also ws://, http://)")
}

// checkAgent finds contradictions among what names the agent.
func (o *startOptions) checkAgent(cmd *cobra.Command) error {
	switch {
	case o.agent != "" && o.command != nil:
		return misused(cmd, "", "use either --agent or a command after --, not both")
	case o.connect != "" && o.command != nil:
		return misused(cmd, "", "use either --connect or a command after --, not both")
	case remote.IsURL(o.agent):
		return misused(cmd, "To connect to it: "+commandLine(cmd.CommandPath(), "--connect", o.agent), "--agent takes a name, but %s is a URL", o.agent)
	case o.connect != "" && o.agent != "":
		return misused(cmd, "", "use either --connect or --agent, not both")
	case cmd.Flags().Changed("connect"):
		if _, err := remote.New(remote.Options{URL: o.connect}); err != nil {
			return misused(cmd, "Set headers and other options in the configuration: [agents.NAME], with url = \"…\".", "--connect: %w", err)
		}
	}
	return nil
}

// connectShown are the words of --connect for a command line that is shown: what stands
// behind a question mark may be secret.
func (o *startOptions) connectShown() []string {
	address := config.Agent{Address: o.connect}.Listens()
	if strings.ContainsAny(o.connect, "?#") {
		address += "?…"
	}
	return []string{"--connect", address}
}

// words are the agent of the command line: its command, or where it listens; nil if the
// command line has neither.
func (o *startOptions) words() []string {
	if o.connect != "" {
		return []string{o.connect}
	}
	return o.command
}

// protocolFlag adds the flag that says which versions of the protocol are offered.
func protocolFlag(f *pflag.FlagSet, to *string) {
	f.StringVar(to, "protocol", "", "protocol `VERSION`: \"v1\", or \"auto\" for the newest that the agent supports (default: as configured, else v1)")
}

// checkProtocol refuses a version that there is not.
func (o *startOptions) checkProtocol(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("protocol") || config.KnownProtocol(o.protocol) {
		return nil
	}
	return misused(cmd, "", "--protocol must be v1 or auto, not %q", o.protocol)
}
