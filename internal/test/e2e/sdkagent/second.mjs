// A small agent of the protocol's second version on its TypeScript package: it does
// what a prompt names, and uses every update and method that the stable version has.
import { writeFileSync } from "node:fs";
import * as acp from "@agentclientprotocol/sdk/experimental/v2";

// Sessions outlive the connections in which they are used.
const sessions = new Map();
let made = 0;
let signedIn = process.argv.includes("signed-in");
const base64 = (text) => Buffer.from(text).toString("base64");
const text = (t) => ({ type: "text", text: t });
const mode = (current) => ({
  configId: "mode", name: "Mode", category: "mode", type: "select", currentValue: current,
  options: [{ groupId: "all", name: "All", options: [{ value: "ask", name: "Asking" }, { value: "auto", name: "Working on" }] }],
});
const quiet = (on) => ({ configId: "quiet", name: "Quiet", type: "boolean", currentValue: on });
// Clients leave out the option of a type that they do not know.
const slider = { configId: "warmth", name: "Warmth", type: "_slider", level: 3 };
const options = (s) => [mode(s.mode), quiet(s.quiet), slider];
const commands = [{ type: "command", name: "all", description: "Use everything", input: { type: "text", hint: "nothing" } }];

function open(id, cwd) {
  const s = sessions.get(id) ?? { id, cwd, title: `Session ${id}`, mode: "ask", quiet: false, history: [], turns: 0 };
  sessions.set(id, s);
  return s;
}

// Two sessions of earlier days, told of once the client's directory is known.
function remember(cwd) {
  if (made > 0) return;
  for (const [id, title] of [["old-1", "About apples"], ["old-2", "About bananas"]]) {
    const s = open(id, cwd);
    s.title = title;
    s.history.push(
      { sessionUpdate: "user_message_chunk", messageId: "u0", content: text("What are bananas?") },
      { sessionUpdate: "agent_message_chunk", messageId: "m0", content: text("Bananas are berries.") });
  }
}

// What the user may cancel alone, by its id.
const pieces = new Map();
const wait = (id) => new Promise((done) => pieces.set(id, done));
const cancelled = (id) => {
  const done = pieces.get(id);
  if (!done) throw acp.RequestError.invalidParams();
  pieces.delete(id);
  setImmediate(done);
  return {};
};

const say = (s, tell, words) => tell({ sessionUpdate: "agent_message", messageId: `m${s.turns}`, content: [text(words)] });

// hangUp ends all connections; the server sets it.
let hangUp = async () => {};
export function onHangUp(f) { hangUp = f; }

// Every scene gets a function that tells an update, and the context for requests.
const scenes = {
  async all(s, tell, cx) {
    await tell({ sessionUpdate: "agent_thought", messageId: `t${s.turns}`, content: [text("Let me see.")] });
    await tell({ sessionUpdate: "agent_thought_chunk", messageId: `t${s.turns}`, content: text(" Now.") });
    await tell({ sessionUpdate: "agent_message", messageId: `m${s.turns}`, content: [text("This is wrong")] });
    await tell({ sessionUpdate: "agent_message", messageId: `m${s.turns}`, content: [text("This is ")] });
    await tell({ sessionUpdate: "agent_message_chunk", messageId: `m${s.turns}`, content: text("right.") });
    await tell({ sessionUpdate: "plan_update", plan: { type: "items", planId: "p", entries: [
      { content: "Use everything", priority: "high", status: "in_progress" },
      { content: "Give up", priority: "low", status: "cancelled" }] } });
    await tell({ sessionUpdate: "tool_call_update", toolCallId: "c1", title: "Edit a.txt", kind: "edit", status: "pending" });
    await tell({ sessionUpdate: "tool_call_content_chunk", toolCallId: "c1", content: {
      type: "diff", changes: [{ operation: "add", path: `${s.cwd}/a.txt`, fileType: "text" }],
      patch: { format: "git_patch", text: `diff --git ${s.cwd}/a.txt ${s.cwd}/a.txt\nnew file mode 100644\n--- /dev/null\n+++ ${s.cwd}/a.txt\n@@ -0,0 +1 @@\n+made by the agent\n` } } });
    await tell({ sessionUpdate: "state_update", state: "requires_action" });
    const answer = await cx.request("session/request_permission", {
      sessionId: s.id, title: "May I write the file?",
      subject: { type: "tool_call", toolCall: { toolCallId: "c1", status: "pending" } },
      options: [{ optionId: "yes", name: "Go on", kind: "allow_once" }, { optionId: "no", name: "Stop", kind: "reject_once" }],
    });
    await tell({ sessionUpdate: "state_update", state: "running" });
    if (answer.outcome.outcome === "selected" && answer.outcome.optionId === "yes") {
      writeFileSync(`${s.cwd}/a.txt`, "made by the agent\n");
      await tell({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed" });
    } else {
      await tell({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "failed" });
    }
    const command = await cx.request("session/request_permission", {
      sessionId: s.id, title: "May I list files?",
      subject: { type: "command", command: "ls -l", cwd: s.cwd, terminalId: "term" },
      options: [{ optionId: "yes", name: "Go on", kind: "allow_once" }],
    });
    await tell({ sessionUpdate: "tool_call_update", toolCallId: "c2", title: "ls -l", kind: "execute", status: "in_progress",
      capabilities: { cancel: {} }, content: [{ type: "terminal", terminalId: "term" }] });
    await tell({ sessionUpdate: "terminal_update", terminalId: "term", command: "ls -l", cwd: s.cwd, size: { cols: 80, rows: 24 }, capabilities: { cancel: {} } });
    await tell({ sessionUpdate: "terminal_output_chunk", terminalId: "term", data: base64("garbage\n") });
    await tell({ sessionUpdate: "terminal_update", terminalId: "term", output: { data: base64("total ") } });
    for (const piece of [Buffer.from("4 ✓\n").subarray(0, 3), Buffer.from("4 ✓\n").subarray(3)]) {
      await tell({ sessionUpdate: "terminal_output_chunk", terminalId: "term", data: piece.toString("base64") });
    }
    await tell({ sessionUpdate: "terminal_update", terminalId: "term", exitStatus: { exitCode: 0 } });
    await tell({ sessionUpdate: "tool_call_update", toolCallId: "c2", status: command.outcome.outcome === "selected" ? "completed" : "cancelled" });
    await tell({ sessionUpdate: "usage_update", used: 1000, size: 4000, cost: { amount: 0.5, currency: "USD" } });
    await tell({ sessionUpdate: "session_info_update", title: "Everything" });
    await tell({ sessionUpdate: "notice", severity: "info", title: "A notice of the agent" });
    await tell({ sessionUpdate: "compaction_update", compactionId: "k", status: "in_progress" });
    await tell({ sessionUpdate: "compaction_summary_chunk", compactionId: "k", content: text("In short") });
    await tell({ sessionUpdate: "compaction_update", compactionId: "k", status: "completed" });
    await tell({ sessionUpdate: "config_option_update", configOptions: options(s) });
    await tell({ sessionUpdate: "available_commands_update", availableCommands: commands });
    await tell({ sessionUpdate: "_of_its_own", anything: 1 });
    return { stopReason: "end_turn", background: [{ type: "terminal", terminalId: "term" }] };
  },
  // A call and a command that the user cancels one by one.
  async pieces(s, tell) {
    const cancel = { cancel: {} };
    await tell({ sessionUpdate: "tool_call_update", toolCallId: "p1", title: "Count to a million", kind: "other", status: "in_progress", capabilities: cancel });
    await tell({ sessionUpdate: "tool_call_update", toolCallId: "p2", title: "Watch the files", kind: "execute", status: "in_progress", content: [{ type: "terminal", terminalId: "watch" }] });
    await tell({ sessionUpdate: "terminal_update", terminalId: "watch", command: "watch", cwd: s.cwd, capabilities: cancel });
    await Promise.all([
      wait("p1").then(() => tell({ sessionUpdate: "tool_call_update", toolCallId: "p1", status: "cancelled", capabilities: null })),
      wait("watch").then(async () => {
        await tell({ sessionUpdate: "terminal_update", terminalId: "watch", exitStatus: { signal: "SIGTERM" }, capabilities: null });
        await tell({ sessionUpdate: "tool_call_update", toolCallId: "p2", status: "failed" });
      }),
    ]);
    await say(s, tell, "Both were cancelled.");
    return { stopReason: "end_turn" };
  },
  // Two questions, of a kind of its own and of none: the answer to the first takes the
  // second back.
  async questions(s, tell, cx) {
    const back = new AbortController();
    const ask = (title, more) => cx.request("session/request_permission", {
      sessionId: s.id, title, options: [{ optionId: "yes", name: "Look", kind: "_blink" }, { optionId: "no", name: "Stop", kind: "reject_once" }], ...more,
    }, { cancellationSignal: back.signal });
    const first = ask("May I look at the stars?", { description: "They are far away.", subject: { type: "_stars", many: true } });
    const second = ask("May I look at the moon?");
    const answer = await first;
    back.abort();
    await say(s, tell, `The stars: ${answer.outcome.optionId}. The moon: ${(await second).outcome.outcome}.`);
    return { stopReason: "end_turn" };
  },
  async address(s, tell, cx) {
    const answer = await cx.request("elicitation/create", {
      sessionId: s.id, mode: "url", message: "Sign in there", elicitationId: "e1", url: "https://example.com/login",
    });
    await cx.notify("elicitation/complete", { elicitationId: "e1" });
    await say(s, tell, `You have gone there: ${answer.action}.`);
    return { stopReason: "end_turn" };
  },
  // The connection is lost while the work goes on.
  async hangUp(s, tell) {
    await say(s, tell, "I am about to hang up.");
    await hangUp();
    return { stopReason: "end_turn" };
  },
  async form(s, tell, cx) {
    const answer = await cx.request("elicitation/create", {
      sessionId: s.id, mode: "form", message: "Which colour?",
      requestedSchema: { type: "object", properties: { colour: { type: "string", title: "Colour", maxLength: 20 } }, required: ["colour"] },
    });
    await say(s, tell, `You have chosen ${answer.content?.colour}.`);
    return { stopReason: "end_turn" };
  },
  async slow(s, tell) {
    await tell({ sessionUpdate: "agent_message_chunk", messageId: `m${s.turns}`, content: text("Waiting to be cancelled.") });
    await new Promise((done) => { s.cancel = done; });
    await tell({ sessionUpdate: "agent_message_chunk", messageId: `m${s.turns}`, content: text(" That was it.") });
    return { stopReason: "cancelled" };
  },
  async count(s, tell) {
    for (let n = 1; n <= 40; n++) {
      await tell({ sessionUpdate: "agent_message_chunk", messageId: `m${s.turns}`, content: text(`${n}\n`) });
      const stopped = await Promise.race([new Promise((done) => { s.cancel = () => done(true); }), new Promise((done) => setTimeout(done, 25))]);
      if (stopped) return { stopReason: "cancelled" };
    }
    return { stopReason: "end_turn" };
  },
  async fail() {
    return { stopReason: "error", error: { code: -32603, message: "the model is out of reach" } };
  },
};

async function work(s, prompt, messageId, cx) {
  const tell = async (update) => {
    if (!["state_update", "usage_update", "notice"].includes(update.sessionUpdate)) s.history.push(update);
    await cx.notify("session/update", { sessionId: s.id, update });
  };
  await tell({ sessionUpdate: "user_message", messageId, content: prompt });
  await tell({ sessionUpdate: "state_update", state: "running" });
  const name = prompt.find((b) => b.type === "text")?.text.trim();
  const end = await (scenes[name] ?? scenes.fail)(s, tell, cx);
  await tell({ sessionUpdate: "state_update", state: "idle", background: [], ...end });
}

const signIn = () => {
  if (!signedIn) throw acp.RequestError.authRequired(undefined, "say who you are");
};

export const second = () => acp.agent({ name: "sdk-agent" })
  .onRequest("initialize", () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    info: { name: "sdk-agent", title: "Agent of the SDK", version: "1" },
    capabilities: { session: { prompt: { image: {}, audio: {}, embeddedContext: {} }, mcp: { stdio: {}, http: {} }, delete: {}, additionalDirectories: {} } },
    authMethods: [{ type: "agent", methodId: "pretend", name: "Pretend" }],
  }))
  .onRequest("auth/login", () => { signedIn = true; return {}; })
  .onRequest("auth/logout", () => { signedIn = false; return {}; })
  .onRequest("session/new", ({ params }) => {
    signIn();
    remember(params.cwd);
    const s = open(`sdk-${++made}`, params.cwd);
    return { sessionId: s.id, configOptions: options(s), availableCommands: commands };
  })
  .onRequest("session/resume", async ({ params, client }) => {
    signIn();
    const s = open(params.sessionId, params.cwd);
    const tell = (update) => client.notify("session/update", { sessionId: s.id, update });
    if (params.replayFrom?.type === "start") for (const update of s.history) await tell(update);
    await tell({ sessionUpdate: "state_update", state: "idle" });
    return { configOptions: options(s), availableCommands: commands };
  })
  .onRequest("session/list", () => ({ sessions: [...sessions.values()].map((s) => ({ sessionId: s.id, cwd: s.cwd, title: s.title })) }))
  .onRequest("session/close", () => ({}))
  .onRequest("session/delete", ({ params }) => { sessions.delete(params.sessionId); return {}; })
  .onRequest("session/set_config_option", ({ params }) => {
    const s = sessions.get(params.sessionId);
    if (params.configId === "mode") s.mode = params.value;
    if (params.configId === "quiet") s.quiet = params.value;
    return { configOptions: options(s) };
  })
  .onRequest("tool_call/cancel", ({ params }) => cancelled(params.toolCallId))
  .onRequest("terminal/cancel", ({ params }) => cancelled(params.terminalId))
  .onRequest("session/prompt", ({ params, client }) => {
    const s = sessions.get(params.sessionId);
    const messageId = `u${++s.turns}`;
    setImmediate(() => work(s, params.prompt, messageId, client).catch((err) => console.error(err)));
    return { messageId };
  })
  .onNotification("session/cancel", ({ params }) => sessions.get(params.sessionId)?.cancel?.());
