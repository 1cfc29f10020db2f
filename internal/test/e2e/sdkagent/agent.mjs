// Serves the agents of both versions: over stdin and stdout, or, with "listen", over
// WebSocket and streamable HTTP at one address, which it prints. The client chooses the
// version; in the second it has to sign in, but for "signed-in". What crosses the network
// is noted in the file that WIRE names, as the server has understood it.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { Readable, Writable } from "node:stream";
import { AgentProtocolRouter, ndJsonStream } from "@agentclientprotocol/sdk/experimental/v2";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { createNodeHttpHandler, createNodeWebSocketUpgradeHandler } from "@agentclientprotocol/sdk/experimental/node";
import { WebSocketServer } from "ws";
import * as one from "./first.mjs";
import * as two from "./second.mjs";

const router = () => new AgentProtocolRouter().withV1(one.first()).withV2(two.second());

const noting = (from) => new TransformStream({
  transform(message, out) {
    appendFileSync(process.env.WIRE, `${from} ${JSON.stringify(message)}\n`);
    out.enqueue(message);
  },
});

// noted is an agent whose messages are noted, both ways.
const noted = (agent) => ({
  connect(stream, options) {
    const out = noting("agent");
    out.readable.pipeTo(stream.writable).catch(() => {}); // the connection is lost
    return agent.connect({ readable: stream.readable.pipeThrough(noting("client")), writable: out.writable }, options);
  },
});

function listen() {
  const server = new AcpServer({ createAgent: () => noted(router()) });
  one.onHangUp(() => server.close());
  two.onHangUp(() => server.close());
  const http = createServer(createNodeHttpHandler(server));
  http.on("upgrade", createNodeWebSocketUpgradeHandler(server, new WebSocketServer({ noServer: true })));
  http.listen(0, "127.0.0.1", () => console.log(`127.0.0.1:${http.address().port}`));
}

if (process.argv[2] === "listen") listen();
else router().connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
