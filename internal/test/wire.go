package test

// Messages of agents to choose from: ordinary, odd and wrong ones.

var initializeResponses = []string{
	`{"protocolVersion":1}`,
	`{"protocolVersion":1,"agentInfo":{"name":"a","title":"A","version":"1"},"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"fork":{"_meta":{"x":1}}},"auth":{"logout":{}}},
		"authMethods":[{"id":"a","name":"A"},{"id":"b","name":"B","type":"terminal","args":["--login"],"env":{"MODE":""}}],"_meta":{"x":"<>"}}`,
}

var sessionStates = []string{
	`{}`,
	`{"configOptions":[]}`,
	`{"modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B","description":"d"}]}}`,
	`{"modes":{"currentModeId":"a","availableModes":[]},"models":{"currentModelId":"a","availableModels":[{"modelId":"a","name":"A"},{"modelId":"b"}]}}`,
	`{"modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"}]},"configOptions":[` + ModeOption + `,` + ThinkOption + `],"_meta":{"x":1}}`,
	`{"configOptions":[` + groupedOption + `,` + oddOption + `]}`,
}

const (
	groupedOption = `{"id":"m","name":"Model","category":"model","type":"select","currentValue":"a","options":[{"group":"g","name":"G","options":[{"value":"a","name":"A"}]}]}`
	oddOption     = `{"id":"o","name":"Odd","type":"_slider","currentValue":3,"max":7}`
)

var permissionRequests = []string{
	`{"sessionId":"s","toolCall":{"toolCallId":"a"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}`,
	`{"sessionId":"s","toolCall":{"toolCallId":"a","title":"","content":[],"rawInput":{},"status":"pending"},"options":[{"optionId":"","name":"","kind":"odd","_meta":{"x":1}}]}`,
	`{"sessionId":"s","toolCall":{"title":"Nobody's","rawInput":{"command": "a && b > c"}},"options":[],"future":{ }}`,
	`{"sessionId":"s","toolCall":{"toolCallId":"b","rawInput":{ },"rawOutput":[ ]},"options":[]}`,
	`{"sessionId":"s","toolCall":{"toolCallId":"b","kind":"switch_mode","content":[{"type":"text","text":"the plan"},{"type":"hologram","x":1}],"locations":[{"path":"a","line":3}]},"options":[]}`,
}

var elicitationRequests = []string{
	`{"sessionId":"s","mode":"form","message":"?","requestedSchema":{"type":"object","properties":{"z":{"type":"string","default":"d"},"a":{"type":"array","items":{"enum":["x"]}},"m":{"type":"_odd","x":1}},"required":["z"]}}`,
	`{"requestId":1.0,"mode":"url","message":"Go","elicitationId":"a","url":"https://example.com/?a=1&b=2"}`,
	`{"sessionId":"s","toolCallId":"a","mode":"_odd","message":""}`,
}

var exitStatuses = []string{`{}`, `{"exitCode":0}`, `{"exitCode":1,"_meta":{"x":1}}`, `{"signal":"SIGKILL"}`}

var updates = []string{
	`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"}}`,
	`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm","annotations":{"audience":["assistant"]}},"messageId":"a"}`,
	`{"sessionUpdate":"user_message_chunk","content":{"type":"image","mimeType":"image/png","data":"AA=="}}`,
	`{"sessionUpdate":"agent_message_chunk","content":{"type":"hologram","beams":3},"messageId":"b"}`,
	`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"of a child"},"_meta":{"claudeCode":{"parentToolUseId":"a"}}}`,
	`{"sessionUpdate":"tool_call","toolCallId":"a","title":"Write","kind":"edit","status":"in_progress","name":"write","rawInput":{"path": "a.go"},"locations":[{"path":"a.go","line":3}],"content":[{"type":"diff","path":"a.go","oldText":null,"newText":"b"}]}`,
	`{"sessionUpdate":"tool_call","toolCallId":"b","title":"","content":[],"_meta":{"terminal_info":{"terminal_id":"a","cwd":"/w"}}}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed","content":[{"type":"content","content":{"type":"text","text":"done"}},{"type":"terminal","terminalId":"b"},{"type":"hologram"}],"rawOutput":[1, 2]}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":"b","status":"failed","title":"T","content":[],"locations":[],"_meta":{"terminal_output":{"terminal_id":"a","data":"out\n"},"terminal_exit":{"terminal_id":"a","exit_code":1}}}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":"a","content":null,"rawInput":{ },"title":null}`,
	`{"sessionUpdate":"plan","entries":[{"content":"1","priority":"high","status":"completed"},{"content":"2"}]}`,
	`{"sessionUpdate":"plan","entries":[]}`,
	`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","description":"<d>","input":{"hint":"h"}},{"description":"nameless"}]}`,
	`{"sessionUpdate":"current_mode_update","currentModeId":"b"}`,
	`{"sessionUpdate":"current_mode_update","modeId":"code"}`,
	`{"sessionUpdate":"config_option_update","configOptions":[` + ModeOption + `,` + ThinkOption + `,` + oddOption + `]}`,
	`{"sessionUpdate":"config_option_update","configOptions":[]}`,
	`{"sessionUpdate":"config_option_update","configOptions":7}`,
	`{"sessionUpdate":"session_info_update","title":null}`,
	`{"sessionUpdate":"session_info_update","title":"T","updatedAt":"2026-01-01T00:00:00Z"}`,
	`{"sessionUpdate":"usage_update","used":10,"size":100,"cost":{"amount":1.5,"currency":"USD"}}`,
	`{"sessionUpdate":"notice","severity":"odd","title":"N","description":"d"}`,
	`{"sessionUpdate":"compaction_update","compactionId":"a","status":"failed","summary":[],"error":"e"}`,
	`{"sessionUpdate":"compaction_update","compactionId":"a","summary":[{"type":"text","text":"s"}]}`,
	`{"sessionUpdate":"compaction_summary_chunk","compactionId":"a","content":{"type":"text","text":"more"}}`,
	`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"a","entries":[{"content":"1","priority":"high","status":"completed"}]}}`,
	`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"b","content":"# B"}}`,
	`{"sessionUpdate":"plan_update","plan":{"type":"hologram","planId":"b","x":1}}`,
	`{"sessionUpdate":"plan_removed","planId":"a"}`,
	`{"sessionUpdate":"subagent_update","sessionId":"a","title":"T","description":null,"state":{"state": "running"}}`,
	`{"sessionUpdate":"subagent_update","sessionId":"a","capabilities":{"cancel":{}},"state":{"state":"idle","stopReason":"end_turn"},"cwd":"/w"}`,
	`{"sessionUpdate":"session_message","messageId":"m","senderSessionId":"s","recipientSessionId":"a","content":[{"type":"text","text":"look"}]}`,
	`{"sessionUpdate":"session_message_chunk","messageId":"m","content":{"type":"text","text":"more"}}`,
	`{"sessionUpdate":"_vendor/thing","x":[1, {"y":2}]}`,
	`{"sessionUpdate":"tool_call"}`,
	`{}`,
}
