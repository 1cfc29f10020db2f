package app

import (
	"net/url"
	"os"
	"strings"

	"parley/config"
	"parley/internal/record"
)

// RedactorFor returns what removes secrets from everything about an agent that leaves this
// machine: recordings, copies from the inspector, exports, reports. Secret are the values that
// the configuration gives to the agent and its MCP servers, including queries of their URLs,
// and environment variables of parley with telling names. Sessions are stored without these
// values, so only the current ones are known.
func RedactorFor(cfg *config.Config, a config.Agent) *record.Redactor {
	secrets := record.SecretsOf(os.Environ())
	secrets = append(append(secrets, queryOf(a.Address)...), valuesOf(a.Env, a.Headers)...)
	for _, s := range serversFor(cfg, a) {
		address, _ := config.Expand(s.URL, variable)
		secrets = append(append(secrets, queryOf(address)...), valuesOf(s.Env, s.Headers)...)
	}
	return record.NewRedactor(secrets)
}

// RedactorNamed returns [RedactorFor] the agent with an id. Without such an agent, only the
// environment and the general MCP servers count.
func RedactorNamed(cfg *config.Config, id string) *record.Redactor {
	a, _ := cfg.Agent(id)
	return RedactorFor(cfg, a)
}

// valuesOf returns the secret values, and the token of one such as "Bearer TOKEN".
func valuesOf(all ...config.Secrets) (values []string) {
	for _, s := range all {
		named, _ := s.Expand(variable)
		for _, value := range named {
			values = append(values, value)
			if _, token, ok := strings.Cut(value, " "); ok {
				values = append(values, token)
			}
		}
	}
	return values
}

// variable looks up an environment variable. An unset one is empty: no agent gets the value that
// refers to it.
func variable(name string) (string, bool) { return os.Getenv(name), true }

// queryOf returns what may be secret in a URL: the whole query and each of its values.
func queryOf(address string) []string {
	u, err := url.Parse(address)
	if err != nil || u.RawQuery == "" {
		return nil
	}
	secrets := []string{u.RawQuery}
	for _, values := range u.Query() {
		secrets = append(secrets, values...)
	}
	return secrets
}
