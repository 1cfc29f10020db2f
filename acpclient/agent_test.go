package acpclient

const agentRole = "ACPCLIENT_TEST_AGENT"

func playAgent(role string) {}
