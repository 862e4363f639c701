import { createHmac } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import formbody from "@fastify/formbody";
import { fastify } from "fastify";
import { pino } from "pino";
import { readSilenceForm } from "../../src/console/common/silence-form.ts";
import { type ConsoleDeps, createConsole } from "../../src/console/create-console.ts";
import { FeedError } from "../../src/feeds/common/feed-error.ts";
import { collectMails } from "../../src/feeds/kinds/mailbox/collect-mails.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { SECOND } from "../../src/lib/instant.ts";
import { RuleForm } from "../../src/monitor/model/rule-form.ts";
import { DeliveryError } from "../../src/monitor/notify/delivery-error.ts";
import { email } from "../../src/monitor/notify/notifiers/email.ts";
import { readInteraction } from "../../src/monitor/notify/notifiers/slack/interaction.ts";
import { slackApps } from "../../src/monitor/notify/notifiers/slack/slack-config.ts";
import { createSlackEndpoint } from "../../src/monitor/notify/notifiers/slack/slack-endpoint.ts";
import { slack } from "../../src/monitor/notify/notifiers/slack.ts";
import { createRenderer } from "../../src/monitor/templates/create-renderer.ts";

// The doors of servers and of clients, through sockets where there are some. Each opens with its first input.

const log = pino({ level: "silent" });
const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";

/** Headers that the console or its libraries read. */
const HEADERS = [
  ...["cookie", "authorization", "host", "origin", "accept", "accept-encoding", "accept-language", "range"],
  ...["if-none-match", "x-forwarded-for", "forwarded", "sec-fetch-site", "content-type", "user-agent"],
];

/** Nobody has a session or is a user. */
const STORED = {
  users: { isUsed: async () => false, find: async () => null },
  sessions: { find: async () => null },
  accessTokens: { find: async () => null },
  audit: { add: async () => {} },
};

const consoleUrl = later(async () => {
  // Only what strangers may ask for is asked: that reads no facts.
  const deps = { facts: {}, stored: STORED, secret: SECRET, inbox: null };
  const opened = await createConsole(
    { ...deps, clock: systemClock, health: { ready: async () => [] }, log } as unknown as ConsoleDeps,
    {
      ...{ host: "127.0.0.1", port: 0, timezone: "UTC", trustedProxies: ["127.0.0.1"] },
      login: { username: "ann", password: "a long secret" },
    },
  );
  return new URL(await opened.listen());
});

/** The bytes as the value of each header. Throws if one is answered with a fault of the server. */
export async function sendHeaders(bytes: Buffer): Promise<void> {
  const { host, port } = await consoleUrl();
  for (const header of HEADERS) {
    const own = header === "host" ? "" : `host: ${host}\r\n`;
    const answer = await talk(Number(port), [
      Buffer.from(`GET /login?next=/ HTTP/1.1\r\n${own}connection: close\r\n${header}: `),
      ...[bytes, Buffer.from("\r\n\r\n")],
    ]);
    if (/^HTTP\/1\.1 5/m.test(answer)) throw new Error(`${header}: ${answer.slice(0, 200)}`);
  }
}

const forms = later(async () => {
  const app = fastify();
  await app.register(formbody);
  app.post("/", { bodyLimit: 1_000_000 }, async ({ body }) => ({
    silence: readSilenceForm(body).ok,
    rule: RuleForm.safeParse(body).success,
  }));
  return app;
});

export async function sendForm(bytes: Buffer): Promise<void> {
  const answer = await (await forms()).inject({
    ...{ method: "POST", url: "/", payload: bytes },
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  if (answer.statusCode !== 200) throw new Error(answer.body);
}

const slackEndpoint = createSlackEndpoint({
  apps: slackApps([
    slack.config.parse({ kind: "slack", channel: "#alerts", token: "xoxb-none", signingSecret: SECRET }),
  ]),
  handle: async (payload) =>
    readInteraction(payload).outcome === "Unfit"
      ? { outcome: "Unfit", reason: "it is a test" }
      : { outcome: "NotOurs" },
  ...{ wall: systemClock, log },
});

/** As Slack posts it, with a valid signature. */
export function sendToSlackEndpoint(body: string): Promise<unknown> {
  const timestamp = String(Math.floor(systemClock.now() / SECOND));
  const signature = `v0=${createHmac("sha256", SECRET).update(`v0:${timestamp}:${body}`).digest("hex")}`;
  const header = (name: string) => (name === "x-slack-signature" ? signature : timestamp);
  return slackEndpoint.take({ body, header, address: "127.0.0.1" });
}

const renderer = later(() => createRenderer({ folder: "templates" }));

/** A mail server that says these bytes and leaves. */
export const refusesMail = (error: unknown): boolean => error instanceof DeliveryError;
export const greetMailClient = (bytes: Buffer): Promise<void> =>
  greeting(bytes, async (port) => {
    const notifier = email.create(
      email.config.parse({
        ...{ kind: "email", to: "duty@example.org", from: "earshot@example.com" },
        smtp: { host: "127.0.0.1", port, user: "earshot", password: "a-very-secret-word", connections: 0 },
      }),
      { renderer: await renderer(), clock: systemClock, log },
    );
    try {
      await notifier.check({ signal: AbortSignal.timeout(10_000) });
    } finally {
      await notifier.close();
    }
  });

export const isFeedError = (error: unknown): boolean => error instanceof FeedError;
export const greetMailboxClient = (bytes: Buffer): Promise<void> =>
  greeting(bytes, async (port) => {
    const imap = { host: "127.0.0.1", port, user: "u", password: "a-very-secret-word", folder: "INBOX" };
    await collectMails({ imap: { ...imap, encryption: "none" }, allowPrivateAddress: true }, null, {
      ...{ signal: AbortSignal.timeout(10_000), timeoutMs: 5_000, now: systemClock.now() },
      ...{ hold: async () => {}, beginReading: async () => 0, readMail: async () => [] },
    });
  });

async function greeting(bytes: Buffer, visit: (port: number) => Promise<void>): Promise<void> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.resume();
    socket.end(bytes);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await visit((server.address() as AddressInfo).port);
  } finally {
    server.close();
  }
}

/** What is answered until the other side ends it. */
async function talk(port: number, parts: readonly Buffer[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const answer: Buffer[] = [];
  socket.on("data", (part) => answer.push(part));
  socket.on("error", () => {});
  socket.write(Buffer.concat([...parts]));
  await once(socket, "close").catch(() => {});
  return Buffer.concat(answer).toString("latin1");
}

/** Opened with the first call. */
function later<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => (opened ??= open());
}
