// A small agent of the protocol's first version on its TypeScript package. Its sessions
// outlive the connections in which they are used.
import * as acp from "@agentclientprotocol/sdk";

const sessions = new Map();
const text = (t) => ({ type: "text", text: t });

let hangUp = async () => {};
export function onHangUp(f) { hangUp = f; }

const scenes = {
  async hello(s, tell, cx) {
    await tell({ sessionUpdate: "tool_call", toolCallId: "c1", title: "Look at the stars", kind: "fetch", status: "pending" });
    const answer = await cx.request("session/request_permission", {
      sessionId: s.id, toolCall: { toolCallId: "c1" },
      options: [{ optionId: "yes", name: "Go on", kind: "allow_once" }, { optionId: "no", name: "Stop", kind: "reject_once" }],
    });
    await tell({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed" });
    await tell({ sessionUpdate: "agent_message_chunk", content: text(`I come from far away, ${answer.outcome.optionId}.`) });
    return "end_turn";
  },
  async slow(s, tell) {
    await tell({ sessionUpdate: "agent_message_chunk", content: text("Waiting to be cancelled.") });
    await new Promise((done) => { s.cancel = done; });
    return "cancelled";
  },
  async hangUp(s, tell) {
    await tell({ sessionUpdate: "agent_message_chunk", content: text("I am about to hang up.") });
    await hangUp();
    return "end_turn";
  },
};

export const first = () => acp.agent({ name: "sdk-agent" })
  .onRequest("initialize", () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentInfo: { name: "sdk-agent", title: "Agent of the SDK", version: "1" },
    agentCapabilities: { loadSession: true },
  }))
  .onRequest("session/new", () => {
    const s = { id: `first-${sessions.size + 1}`, history: [] };
    sessions.set(s.id, s);
    return { sessionId: s.id };
  })
  .onRequest("session/load", async ({ params, client }) => {
    const s = sessions.get(params.sessionId);
    for (const update of s.history) await client.notify("session/update", { sessionId: s.id, update });
    return {};
  })
  .onRequest("session/prompt", async ({ params, client }) => {
    const s = sessions.get(params.sessionId);
    s.history.push(...params.prompt.map((content) => ({ sessionUpdate: "user_message_chunk", content })));
    const tell = async (update) => {
      s.history.push(update);
      await client.notify("session/update", { sessionId: s.id, update });
    };
    const name = params.prompt.find((b) => b.type === "text")?.text.trim();
    return { stopReason: await scenes[name](s, tell, client) };
  })
  .onNotification("session/cancel", ({ params }) => sessions.get(params.sessionId)?.cancel?.());
