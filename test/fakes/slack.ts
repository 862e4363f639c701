import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { InboxStore, SlackInboxMessage } from "../../src/console/inbox/inbox-store.ts";
import { startLocalSlack } from "../../src/console/inbox/start-local-slack.ts";
import { createManualClock, monotonicMs } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { createMemoryInboxStore } from "./memory-inbox-store.ts";
import { startSocketServer } from "./socket-server.ts";

/** What goes wrong with the next call (of that method, where one is named). */
export type SlackFault = { method?: string } & (
  | {
      answer: { status: number; headers?: Record<string, string>; body: string };
      /** Slack has done what was asked all the same. */
      done?: true;
    }
  /** The connection breaks: before Slack has seen the call, or after it has done what was asked. */
  | { drop: "before" | "after" }
  /** No answer comes: Slack has not seen the call, or it has done what was asked. */
  | { hang: "before" | "after" }
);

export interface FakeSlack {
  readonly apiUrl: string;
  readonly token: string;
  readonly faults: SlackFault[];
  /** Methods called, in order, and the fields of each call. `ts`: of the message that it posted. */
  readonly calls: { method: string; fields: Record<string, string>; atMs: number; ts?: string }[];
  /** Oldest first. */
  messages(): Promise<readonly SlackInboxMessage[]>;
  /** The bytes of a file that was shared. */
  file(id: string): Promise<Uint8Array | null>;
  /** People of the workspace delete a message. */
  remove(message: SlackInboxMessage): Promise<void>;
  /** The payload of a click on this element of a message, now or of the same click again. */
  press(message: SlackInboxMessage, actionId: string, more?: PressOptions): object;
  /** What came to the addresses that presses carry: seen by that person alone. */
  readonly answers: { readonly text: string; readonly type: string }[];
  readonly appToken: string;
  /** Sockets that are open. */
  readonly sockets: Awaited<ReturnType<typeof startSocketServer>>;
  close(): Promise<void>;
}

interface PressOptions {
  readonly user?: { readonly id: string; readonly name: string };
  readonly option?: string;
  readonly selectedUser?: string;
  /** When it was; two presses of one moment are one press. */
  readonly at?: string;
}

/** The local Slack behind a line that breaks on demand. */
export async function startFakeSlack(
  options: { channels?: readonly string[]; scopes?: readonly string[]; store?: InboxStore } = {},
): Promise<FakeSlack> {
  const { store = createMemoryInboxStore() } = options;
  const token = "xoxb-very-secret-token";
  const appToken = "xapp-1-very-secret-app-token";
  const sockets = await startSocketServer();
  const answers: { text: string; type: string }[] = [];
  const log = createLog({ level: "silent" });
  const clock = createManualClock(Date.UTC(2026, 1, 23, 16, 40));
  const slack = await startLocalSlack(
    { store, clock, log },
    {
      token,
      ...options,
      users: { U0ANN: "Ann Example", U0BO: "Bo" },
      sockets: { appToken, url: () => sockets.url },
    },
  );
  const faults: SlackFault[] = [];
  const calls: FakeSlack["calls"] = [];
  let interactions = 0;
  const server = createServer((request, response) => {
    relay(request, response, slack.apiUrl, { faults, calls, answers }).catch(() => response.destroy());
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
    file: async (id) => (await store.findFile(id))?.bytes ?? null,
    remove: ({ id }) => store.remove(id),
    press: (message, actionId, more = {}) =>
      pressOf(message, actionId, more, `http://127.0.0.1:${port}/respond/${++interactions}`),
    answers,
    appToken,
    sockets,
    close: async () => {
      await sockets.close();
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
  {
    faults,
    calls,
    answers,
  }: Pick<FakeSlack, "faults" | "calls"> & {
    answers: { text: string; type: string }[];
  },
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const path = request.url ?? "";
  if (path.startsWith("/respond/")) {
    const { text, response_type: type } = JSON.parse(body.toString()) as Record<string, string>;
    answers.push({ text: text ?? "", type: type ?? "" });
    return void response.end("ok");
  }
  if (path.startsWith("/upload/")) return upload(body, path, response, apiUrl, takeFault(faults, "upload"));
  const method = path.replace("/api/", "").replace(/\?.*/, "");
  const fields = Object.fromEntries(new URLSearchParams(body.toString()));
  const call: FakeSlack["calls"][number] = { method, fields, atMs: monotonicMs() };
  calls.push(call);
  const fault = takeFault(faults, method);
  if (fault !== undefined && "hang" in fault && fault.hang === "before") return;
  const refusal = fault !== undefined && "answer" in fault ? fault : null;
  if (refusal !== null && refusal.done !== true) {
    response.writeHead(refusal.answer.status, refusal.answer.headers).end(refusal.answer.body);
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
  // Addresses for files lead through the line as well.
  const own = `http://${request.headers.host ?? ""}`;
  const text = (await answer.text()).replaceAll(new URL(apiUrl).origin, own);
  const posted = method === "chat.postMessage" ? (JSON.parse(text) as { ts?: string }).ts : undefined;
  if (posted !== undefined) call.ts = posted;
  if (fault !== undefined && "hang" in fault) return;
  if (fault !== undefined && "drop" in fault && fault.drop === "after") return void response.destroy();
  if (refusal !== null)
    return void response.writeHead(refusal.answer.status, refusal.answer.headers).end(refusal.answer.body);
  const scopes = answer.headers.get("x-oauth-scopes");
  response
    .writeHead(answer.status, {
      "content-type": "application/json",
      ...(scopes !== null && { "x-oauth-scopes": scopes }),
    })
    .end(text);
}

async function upload(
  body: Buffer,
  path: string,
  response: ServerResponse,
  apiUrl: string,
  fault: SlackFault | undefined,
): Promise<void> {
  const refuse = ({
    answer: { status, headers, body: said },
  }: Extract<SlackFault, { answer: object }>): void => void response.writeHead(status, headers).end(said);
  if (fault !== undefined && "answer" in fault && fault.done !== true) return refuse(fault);
  if (fault !== undefined && "drop" in fault && fault.drop === "before") return void response.destroy();
  if (fault !== undefined && "hang" in fault && fault.hang === "before") return;
  const answer = await fetch(new URL(path, apiUrl), { method: "POST", body });
  const said = await answer.text();
  if (fault === undefined) return void response.writeHead(answer.status).end(said);
  if ("answer" in fault) return refuse(fault);
  if ("drop" in fault) response.destroy();
}

function pressOf(
  message: SlackInboxMessage,
  actionId: string,
  {
    user = { id: "U0ANN", name: "Ann Example" },
    option,
    selectedUser,
    at = "1771864900.000100",
  }: PressOptions,
  responseUrl: string,
): object {
  const rows = message.blocks as readonly {
    block_id?: string;
    elements?: { action_id?: string; type: string }[];
  }[];
  const row = rows.find(({ elements }) => elements?.some((element) => element.action_id === actionId));
  const element = row?.elements?.find((one) => one.action_id === actionId);
  if (row === undefined || element === undefined) throw new Error(`the message has no ${actionId} to press`);
  return {
    type: "block_actions",
    team: { id: "T0LOCAL", domain: "local" },
    user: { ...user, username: user.name, team_id: "T0LOCAL" },
    api_app_id: "A0LOCAL",
    token: "a-verification-token-that-nobody-should-use",
    container: { type: "message", message_ts: message.ts, channel_id: message.channel },
    trigger_id: "1.2.3",
    channel: { id: message.channel, name: message.channelName },
    message: { type: "message", ts: message.ts, text: message.text, blocks: message.blocks },
    response_url: responseUrl,
    actions: [
      {
        type: element.type,
        action_id: actionId,
        block_id: row.block_id,
        action_ts: at,
        ...(option !== undefined && {
          selected_option: { text: { type: "plain_text", text: option }, value: option },
        }),
        ...(selectedUser !== undefined && { selected_user: selectedUser }),
      },
    ],
  };
}

function takeFault(faults: SlackFault[], method: string): SlackFault | undefined {
  const index = faults.findIndex((fault) => fault.method === undefined || fault.method === method);
  return index === -1 ? undefined : faults.splice(index, 1)[0];
}
