package app

import (
	"net/url"
	"os"
	"strings"

	"parley/config"
	"parley/internal/record"
)

// RedactorFor returns what removes secrets from all that leaves this machine about an agent:
// recordings, copies of the inspector, exports, reports. Secret are the values that the
// configuration hands to the agent and to its MCP servers, with the queries of their URLs,
// and those of parley's environment whose names say so. Sessions are stored without these
// values, so those that count are today's.
func RedactorFor(cfg *config.Config, a config.Agent) *record.Redactor {
	secrets := record.SecretsOf(os.Environ())
	secrets = append(append(secrets, queryOf(a.Address)...), valuesOf(a.Env, a.Headers)...)
	for _, s := range serversFor(cfg, a) {
		secrets = append(append(secrets, queryOf(s.URL)...), valuesOf(s.Env, s.Headers)...)
	}
	return record.NewRedactor(secrets)
}

// RedactorNamed is RedactorFor the agent with an id. Without one only the environment counts,
// and the MCP servers for all agents.
func RedactorNamed(cfg *config.Config, id string) *record.Redactor {
	a, _ := cfg.Agent(id)
	return RedactorFor(cfg, a)
}

// valuesOf returns the values, and the token of one such as "Bearer TOKEN".
func valuesOf(all ...config.Secrets) (values []string) {
	for _, s := range all {
		named, _ := s.Expand(func(name string) (string, bool) { return os.Getenv(name), true }) // an agent whose values are wrong does not start
		for _, value := range named {
			values = append(values, value)
			if _, token, ok := strings.Cut(value, " "); ok {
				values = append(values, token)
			}
		}
	}
	return values
}

// queryOf is what may be secret in a URL: the query, whole and each value of it.
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
