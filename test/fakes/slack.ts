import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createManualClock } from "../../src/lib/clock.ts";
import { createMemoryInboxStore } from "../../src/local-inbox/create-memory-inbox-store.ts";
import type { SlackInboxMessage } from "../../src/local-inbox/inbox-store.ts";
import { startLocalSlack } from "../../src/local-inbox/start-local-slack.ts";
import { createLog } from "../../src/log.ts";

/** What goes wrong with the next call (of that method, where one is named). */
export type SlackFault = { method?: string } & (
  | { answer: { status: number; headers?: Record<string, string>; body: string } }
  /** The connection breaks: before Slack has seen the call, or after it has done what was asked. */
  | { drop: "before" | "after" }
  /** No answer comes: Slack has not seen the call, or it has done what was asked. */
  | { hang: "before" | "after" }
);

export interface FakeSlack {
  readonly apiUrl: string;
  readonly token: string;
  readonly faults: SlackFault[];
  /** Methods called, in order, and the fields of each call. */
  readonly calls: { method: string; fields: Record<string, string> }[];
  /** Oldest first. */
  messages(): Promise<readonly SlackInboxMessage[]>;
  close(): Promise<void>;
}

/** The local Slack behind a line that breaks on demand. */
export async function startFakeSlack(options: { channels?: readonly string[] } = {}): Promise<FakeSlack> {
  const store = createMemoryInboxStore();
  const token = "xoxb-very-secret-token";
  const log = createLog({ level: "silent" });
  const clock = createManualClock(Date.UTC(2026, 1, 23, 16, 40));
  const slack = await startLocalSlack({ store, clock, log }, { token, ...options });
  const faults: SlackFault[] = [];
  const calls: FakeSlack["calls"] = [];
  const server = createServer((request, response) => {
    relay(request, response, slack.apiUrl, faults, calls).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    apiUrl: `http://127.0.0.1:${port}/api/`,
    token,
    faults,
    calls,
    messages: async () => {
      const all = await store.list({ kind: "slack", limit: Number.MAX_SAFE_INTEGER });
      return [...all].reverse().filter((message) => message.kind === "slack");
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await slack.close();
    },
  };
}

async function relay(
  request: IncomingMessage,
  response: ServerResponse,
  apiUrl: string,
  faults: SlackFault[],
  calls: FakeSlack["calls"],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const method = (request.url ?? "").replace("/api/", "").replace(/\?.*/, "");
  calls.push({ method, fields: Object.fromEntries(new URLSearchParams(body.toString())) });
  const fault = takeFault(faults, method);
  if (fault !== undefined && "hang" in fault && fault.hang === "before") return;
  if (fault !== undefined && "answer" in fault) {
    response.writeHead(fault.answer.status, fault.answer.headers).end(fault.answer.body);
    return;
  }
  if (fault !== undefined && "drop" in fault && fault.drop === "before") return void response.destroy();
  const answer = await fetch(`${apiUrl}${method}`, {
    method: "POST",
    body,
    headers: {
      "content-type": request.headers["content-type"] ?? "",
      authorization: request.headers.authorization ?? "",
    },
  });
  const text = await answer.text();
  if (fault !== undefined && "hang" in fault) return;
  if (fault !== undefined && "drop" in fault && fault.drop === "after") return void response.destroy();
  response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
}

function takeFault(faults: SlackFault[], method: string): SlackFault | undefined {
  const index = faults.findIndex((fault) => fault.method === undefined || fault.method === method);
  return index === -1 ? undefined : faults.splice(index, 1)[0];
}
