import { createHmac, randomBytes } from "node:crypto";
import { createServer } from "node:http";

type Form = Readonly<Record<string, string>>;

export interface FakeHub {
  readonly url: string;
  /** The forms that were posted to it. */
  readonly asked: Form[];
  /** Who has confirmed, by topic. */
  readonly subscribers: Map<string, { readonly callback: string; readonly secret: string }>;
  /** What it does with who asks. Default: asks back, as WebSub wants it. */
  onAsked: (form: Form) => Promise<unknown>;
  /** How it answers who asks. Default: 202. */
  status: number | (() => number);
  /** Calls a callback as a hub does. */
  call(callback: string, question: Form): Promise<Response>;
  /** Pushes a document to who has confirmed. */
  publish(
    topic: string,
    body: string,
    how?: { readonly method?: string; readonly signature?: string },
  ): Promise<Response>;
  close(): Promise<void>;
}

/** A hub that keeps to WebSub: it asks back, keeps who confirms, and signs what it pushes. */
export async function startHub(): Promise<FakeHub> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      const form = Object.fromEntries(new URLSearchParams(body));
      hub.asked.push(form);
      const status = typeof hub.status === "number" ? hub.status : hub.status();
      response.writeHead(status).end();
      if (status === 202) void hub.onAsked(form).catch(() => {});
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const hub: FakeHub = {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`,
    asked: [],
    subscribers: new Map(),
    status: 202,
    async onAsked(form) {
      const callback = form["hub.callback"] ?? "";
      const topic = form["hub.topic"] ?? "";
      const challenge = randomBytes(16).toString("hex");
      const answer = await hub.call(callback, {
        ...{ "hub.mode": "subscribe", "hub.topic": topic, "hub.challenge": challenge },
        "hub.lease_seconds": form["hub.lease_seconds"] ?? "",
      });
      if (answer.status === 200 && (await answer.text()) === challenge)
        hub.subscribers.set(topic, { callback, secret: form["hub.secret"] ?? "" });
    },
    call: (callback, question) => fetch(`${callback}?${new URLSearchParams(question)}`),
    publish(topic, body, { method = "sha256", signature } = {}) {
      const { callback = "", secret = "" } = hub.subscribers.get(topic) ?? {};
      const right = `${method}=${createHmac(method, secret).update(body).digest("hex")}`;
      const headers = { "content-type": "application/atom+xml", "x-hub-signature": signature ?? right };
      return fetch(callback, { method: "POST", body, headers });
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return hub;
}
