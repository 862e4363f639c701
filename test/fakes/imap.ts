import { createServer, type Socket } from "node:net";

export interface FakeMail {
  readonly uid: number;
  /** The whole message, CRLF or LF. */
  readonly source: string | Buffer;
  readonly receivedAt?: number;
}

export interface FakeImap {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  mails: FakeMail[];
  validity: number;
  /** Commands as they came, without their tags. */
  readonly commands: string[];
  /** Octets that were sent. */
  sent: number;
  /** What a command is answered instead; null: nothing more, for ever. undefined: as usual. */
  fault: ((command: string, tag: string, socket: Socket) => string | null | undefined) | undefined;
  greeting: string;
  /** What a connection gets instead of the greeting. */
  onConnect: ((socket: Socket) => void) | undefined;
  capabilities: string;
  /** What EXAMINE names as the next number. Default: the truth. */
  uidNext: number | undefined;
  close(): Promise<void>;
}

/** A mailbox over IMAP4rev1: as much of it as reading needs, and what changes something is refused. */
export async function startImap(): Promise<FakeImap> {
  const sockets = new Set<Socket>();
  const fake: Omit<FakeImap, "port"> = {
    ...{ host: "127.0.0.1", user: "ann@mail.example", password: "secret word", mails: [], validity: 7 },
    ...{ commands: [], sent: 0, fault: undefined, greeting: "* OK ready", onConnect: undefined },
    ...{ capabilities: "IMAP4rev1", uidNext: undefined },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    const send = (text: string | Buffer): void => {
      const bytes = Buffer.from(text);
      fake.sent += bytes.length;
      socket.write(bytes);
    };
    if (fake.onConnect === undefined) send(`${fake.greeting}\r\n`);
    else fake.onConnect(socket);
    let pending = "";
    socket.on("data", (chunk) => {
      pending += chunk.toString("latin1");
      for (let end = pending.indexOf("\r\n"); end >= 0; end = pending.indexOf("\r\n")) {
        const [tag = "", ...words] = pending.slice(0, end).split(" ");
        pending = pending.slice(end + 2);
        const command = words.join(" ");
        fake.commands.push(command);
        const instead = fake.fault?.(command, tag, socket);
        if (instead === null) continue;
        if (instead !== undefined) send(instead);
        else for (const part of answer(fake, command, tag)) send(part);
        if (/^LOGOUT/i.test(command)) socket.end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return Object.assign(fake, { port: typeof address === "object" && address !== null ? address.port : 0 });
}

function* answer(fake: Omit<FakeImap, "port">, command: string, tag: string): Generator<string | Buffer> {
  const ok = `${tag} OK done\r\n`;
  const [, verb = "", rest = ""] = /^((?:UID )?\w+) ?(.*)$/i.exec(command) ?? [];
  switch (verb.toUpperCase()) {
    case "CAPABILITY":
      return yield `* CAPABILITY ${fake.capabilities}\r\n${ok}`;
    case "LOGIN":
      return yield rest === `"${fake.user}" "${fake.password}"` || rest === `${fake.user} "${fake.password}"`
        ? ok
        : `${tag} NO [AUTHENTICATIONFAILED] Invalid credentials\r\n`;
    case "NOOP":
      return yield ok;
    case "LIST":
    case "LSUB":
      return yield `* ${verb} (\\HasNoChildren) "/" ${/""$/.test(rest) ? '""' : "INBOX"}\r\n${ok}`;
    case "EXAMINE":
      if (!/INBOX/i.test(rest)) return yield `${tag} NO [NONEXISTENT] Unknown folder\r\n`;
      return yield `* ${fake.mails.length} EXISTS\r\n* 0 RECENT\r\n* FLAGS (\\Seen)\r\n* OK [UIDVALIDITY ${fake.validity}] valid\r\n* OK [UIDNEXT ${fake.uidNext ?? (fake.mails.at(-1)?.uid ?? 0) + 1}] next\r\n${tag} OK [READ-ONLY] done\r\n`;
    case "UID SEARCH":
      return yield `* SEARCH${found(fake.mails, rest)
        .map((uid) => ` ${uid}`)
        .join("")}\r\n${ok}`;
    case "UID FETCH": {
      const [, set = "", items = ""] = /^(\S+) (.*)$/.exec(rest) ?? [];
      for (const [index, mail] of fake.mails.entries())
        if (String(mail.uid) === set) yield* fetched(mail, index + 1, items);
      return yield ok;
    }
    case "CLOSE":
    case "UNSELECT":
      return yield ok;
    case "LOGOUT":
      return yield `* BYE bye\r\n${ok}`;
    default:
      return yield `${tag} BAD this server only reads\r\n`;
  }
}

/** `n:*` has the last mail even if its number is below n, as the standard says. */
function found(mails: readonly FakeMail[], query: string): number[] {
  const [, from] = /UID (\d+):\*/i.exec(query) ?? [];
  const last = mails.at(-1)?.uid ?? 0;
  if (from !== undefined)
    return mails.map(({ uid }) => uid).filter((uid) => uid >= Math.min(Number(from), last));
  const since = Date.parse(`${/SINCE "?([\w-]+)/i.exec(query)?.[1] ?? "1-Jan-1970"} UTC`);
  return mails
    .filter(({ receivedAt = Number.POSITIVE_INFINITY }) => receivedAt >= since)
    .map(({ uid }) => uid);
}

function* fetched(
  { uid, source, receivedAt }: FakeMail,
  seq: number,
  items: string,
): Generator<string | Buffer> {
  const bytes = typeof source === "string" ? Buffer.from(source) : source;
  const parts = [`UID ${uid}`];
  if (/INTERNALDATE/i.test(items) && receivedAt !== undefined)
    parts.push(`INTERNALDATE "${imapDate(receivedAt)}"`);
  if (/ENVELOPE/i.test(items))
    parts.push(`ENVELOPE ${envelopeOf(bytes.subarray(0, 300_000).toString("latin1"))}`);
  yield `* ${seq} FETCH (${parts.join(" ")}`;
  const [, peek, most] = /BODY(\.PEEK)?\[\](?:<0\.(\d+)>)?/i.exec(items) ?? [];
  if (/BODY/i.test(items)) {
    // A fetch without PEEK would mark the mail as read.
    if (peek === undefined) throw new Error(`this marks a mail as seen: ${items}`);
    const part = bytes.subarray(0, most === undefined ? undefined : Number(most));
    yield ` BODY[]${most === undefined ? "" : "<0>"} {${part.length}}\r\n`;
    yield part;
  }
  yield ")\r\n";
}

function envelopeOf(source: string): string {
  const [head = ""] = source.split(/\r?\n\r?\n/);
  const header = (name: string): string | null =>
    new RegExp(`^${name}:[ \\t]*(.*(?:\\r?\\n[ \\t].*)*)`, "im").exec(head)?.[1]?.replaceAll(/\r?\n/g, "") ??
    null;
  const quoted = (text: string | null): string =>
    text === null ? "NIL" : `"${text.replaceAll(/[\\"]/g, "\\$&")}"`;
  const from = /^(?:"?(.*?)"? )?<?([^<>@\s]*)@([^<>\s]*)>?$/.exec(header("From") ?? "");
  const sender =
    from === null
      ? "NIL"
      : `((${quoted(from[1] ?? null)} NIL ${quoted(from[2] ?? "")} ${quoted(from[3] ?? "")}))`;
  return `(${quoted(header("Date"))} ${quoted(header("Subject"))} ${sender} NIL NIL NIL NIL NIL NIL ${quoted(header("Message-ID"))})`;
}

function imapDate(at: number): string {
  const [day = "", time = ""] = new Date(at).toISOString().slice(0, 19).split("T");
  const [year = "", month = "1", date = ""] = day.split("-");
  const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  return `${date}-${months[Number(month) - 1]}-${year} ${time} +0000`;
}

/** A message with these headers and this body. */
export function mail(headers: Readonly<Record<string, string>>, body: string): string {
  const all = { From: "News <news@letter.example>", Subject: "A letter", "MIME-Version": "1.0", ...headers };
  return `${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n${body}`;
}

/** An alert as Google sends it: HTML with a link through Google for each entry. */
export function googleAlert(
  entries: readonly { url: string; title: string; snippet: string; site?: string }[],
  headers: Readonly<Record<string, string>> = {},
): string {
  const link = (url: string) =>
    `https://www.google.com/url?rct=j&amp;sa=t&amp;url=${url}&amp;ct=ga&amp;cd=CAEY&amp;usg=AOv`;
  const rows = entries.map(
    ({ url, title, snippet, site = "Site" }) => `<tr itemscope itemtype="http://schema.org/Article"><td>
<a href="${link(url)}"><img src="https://t.google.com/x.png"></a>
<a href="${link(url)}" itemprop="url"><span itemprop="name">${title}</span></a>
<div><div itemprop="publisher" itemscope><a style="x"><span itemprop="name">${site}</span></a></div><div itemprop="description">${snippet}</div></div>
<a href="https://www.google.com/alerts/share?hl=en&amp;ru=${url}"><img alt="Facebook"></a>
<a href="https://www.google.com/alerts/feedback?ffu=${url}">Flag as irrelevant</a></td></tr>`,
  );
  const html = `<html><head><style>a{}</style></head><body><script data-scope="inboxmarkup" type="application/json">{"a":1}</script><table>${rows.join("\n")}</table>
<a href="https://www.google.com/alerts?s=1">See more results</a> You have received this email because you have subscribed to <b>Google Alerts</b>.</body></html>`;
  return mail(
    {
      From: "Google Alerts <googlealerts-noreply@google.com>",
      ...{ Subject: "Google Alert - acme", "Content-Type": "text/html; charset=UTF-8", ...headers },
    },
    html,
  );
}
