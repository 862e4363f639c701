import { createServer, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { CERTIFICATE, CERTIFICATE_KEY } from "./certificate.ts";

/** Where a mail server can say something else than yes. */
const SMTP_STEPS = ["greeting", "ehlo", "starttls", "auth", "mail", "rcpt", "data", "message"] as const;
export type SmtpStep = (typeof SMTP_STEPS)[number];

export interface ScriptedSmtp {
  readonly host: string;
  readonly port: number;
  /** What it says at a step instead of yes: `550 5.1.1 no such user`. */
  readonly answers: Partial<Record<SmtpStep, string>>;
  /** Set to break the connection at a step. */
  breakAt: SmtpStep | null;
  /** Mails it has taken: for whom, and whether under TLS. */
  readonly mails: { readonly to: readonly string[]; readonly isSecret: boolean; readonly text: string }[];
  /** How many came, answered or not. */
  greeted: number;
  /** Commands that came before TLS was on. */
  readonly inClear: string[];
  close(): Promise<void>;
}

/** A mail server of the bare protocol, which answers each step as the test says, with TLS from its own certificate. */
export async function startScriptedSmtp(tls: "implicit" | "starttls" | "none"): Promise<ScriptedSmtp> {
  const sockets = new Set<Socket>();
  const script: Omit<ScriptedSmtp, "host" | "port" | "close"> = {
    answers: {},
    breakAt: null,
    mails: [],
    greeted: 0,
    inClear: [],
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    script.greeted += 1;
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    if (tls === "implicit") serve(secured(socket), script, false, true);
    else serve(socket, script, tls === "starttls", true);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return Object.assign(script, { host: "127.0.0.1", port, close });
}

type Script = Pick<ScriptedSmtp, "answers" | "breakAt" | "mails" | "inClear">;

function serve(socket: Socket, script: Script, offersTls: boolean, greets: boolean): void {
  let pending = "";
  let text: string | null = null;
  let to: string[] = [];
  const isSecret = socket instanceof TLSSocket;
  const say = (step: SmtpStep, yes: string): boolean => {
    if (script.breakAt === step) {
      socket.destroy();
      return false;
    }
    const no = script.answers[step];
    socket.write(`${no ?? yes}\r\n`);
    return no === undefined;
  };
  const hear = (line: string): void => {
    const command = line.split(/[ :]/, 1)[0]?.toUpperCase() ?? "";
    if (!isSecret && text === null) script.inClear.push(command);
    switch (command) {
      case "EHLO":
        return void say(
          "ehlo",
          `250-here\r\n250-AUTH PLAIN\r\n${offersTls ? "250-STARTTLS\r\n" : ""}250 8BITMIME`,
        );
      case "STARTTLS":
        if (!offersTls) return void socket.write("502 what is that\r\n");
        if (!say("starttls", "220 go ahead")) return;
        socket.removeAllListeners("data");
        serve(secured(socket), script, false, false);
        return;
      case "AUTH":
        return void say("auth", "235 welcome");
      case "MAIL":
        to = [];
        return void say("mail", "250 ok");
      case "RCPT":
        if (say("rcpt", "250 ok")) to.push(/<([^>]*)>/.exec(line)?.[1] ?? "");
        return;
      case "DATA":
        if (say("data", "354 go on")) text = "";
        return;
      case "QUIT":
        return void socket.end("221 bye\r\n");
      default:
        socket.write("250 ok\r\n");
    }
  };
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    pending += chunk.toString("latin1");
    for (let end = pending.indexOf("\r\n"); end !== -1; end = pending.indexOf("\r\n")) {
      const line = pending.slice(0, end);
      pending = pending.slice(end + 2);
      if (text === null) hear(line);
      else if (line !== ".") text += `${line}\n`;
      else {
        const mail = { to, isSecret, text };
        text = null;
        if (say("message", "250 queued as 4BC")) script.mails.push(mail);
      }
    }
  });
  if (greets) say("greeting", "220 here");
}

function secured(socket: Socket): TLSSocket {
  const secureContext = createSecureContext({ cert: CERTIFICATE, key: CERTIFICATE_KEY });
  return new TLSSocket(socket, { isServer: true, secureContext });
}
