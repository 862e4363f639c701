import { createServer, type Server } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";

/** What the server says instead of yes, at which step. */
export interface SmtpFault {
  readonly at: "mail" | "rcpt" | "data" | "login";
  readonly code: number;
  readonly text: string;
}

export interface FakeSmtp {
  readonly host: string;
  readonly port: number;
  /** What goes wrong with the next transactions, one fault each. */
  readonly faults: SmtpFault[];
  /** Set to accept the next mail and break the connection before the answer. */
  breakAfterData: boolean;
  /** How many mails it accepted without an answer. */
  acceptedWithoutAnswer: number;
  /** How many were opened so far. */
  connections: number;
  readonly mails: {
    readonly from: string;
    readonly to: readonly string[];
    readonly raw: string;
    /** When its last line had come, by the wall clock. */
    readonly handedOverAt: number;
    readonly parsed: ParsedMail;
  }[];
  close(): Promise<void>;
}

/**
 * A mail server that refuses on demand.
 *
 * @param parsesLater it answers before it has read a mail, as real ones do: `mails` has the mail a moment after the answer
 */
export async function startFakeSmtp({ parsesLater = false } = {}): Promise<FakeSmtp> {
  const fake: Omit<FakeSmtp, "host" | "port" | "close"> = {
    faults: [],
    breakAfterData: false,
    acceptedWithoutAnswer: 0,
    connections: 0,
    mails: [],
  };
  const refuse = (at: SmtpFault["at"]): Error | null => {
    if (fake.faults[0]?.at !== at) return null;
    const fault = fake.faults.shift();
    return fault === undefined ? null : Object.assign(new Error(fault.text), { responseCode: fault.code });
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    allowInsecureAuth: true,
    onConnect: (_session, callback) => {
      fake.connections += 1;
      callback();
    },
    onAuth: (_auth, _session, callback) => {
      const fault = refuse("login");
      if (fault === null) callback(null, { user: "someone" });
      else callback(fault);
    },
    onMailFrom: (_address, _session, callback) => callback(refuse("mail")),
    onRcptTo: (_address, _session, callback) => callback(refuse("rcpt")),
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", async () => {
        const fault = refuse("data");
        if (fault !== null) return callback(fault);
        const raw = Buffer.concat(chunks);
        const to = session.envelope.rcptTo.map(({ address }) => address);
        const { mailFrom } = session.envelope;
        const from = mailFrom === false ? "" : mailFrom.address;
        const handedOverAt = Date.now();
        const keep = async () => {
          const parsed = await simpleParser(raw, QUICKLY);
          fake.mails.push({ from, to, raw: raw.toString(), handedOverAt, parsed });
        };
        // The library parses a short mail before it returns.
        if (parsesLater) setImmediate(() => void keep());
        else await keep();
        if (!fake.breakAfterData) return callback(null);
        fake.breakAfterData = false;
        fake.acceptedWithoutAnswer += 1;
        // This one alone: a mail on another connection may be accepted just now, and would come twice uncounted.
        for (const connection of server.connections) if (idOf(connection) === session.id) connection.close();
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return Object.assign(fake, { host: "127.0.0.1", port: portOf(server.server), close });
}

/** Texts that the mail does not have are not made for it. */
const QUICKLY = { skipTextToHtml: true, skipHtmlToText: true, skipImageLinks: true };

/** A port that nobody listens on. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = portOf(server);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** The id that its session has, too; the types do not know it. */
function idOf(connection: object): unknown {
  return "id" in connection ? connection.id : undefined;
}
