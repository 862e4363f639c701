import { domainToASCII } from "node:url";
import { z } from "zod";
import { isLoopback } from "../../../lib/listening.ts";
import type { CheckNote } from "../../define-notifier.ts";
import { returnPath } from "./compose-email.ts";

/** Domains may be written in Unicode; they are sent as ASCII, which every mail server takes. */
const Address = z
  .string()
  .transform(withAsciiDomain)
  .pipe(z.email("expected one address such as ann@brand.example, without a name"));

const Smtp = z.strictObject({
  host: z.string().min(1),
  port: z.int().min(1).max(65_535).default(587),
  /** TLS from the first byte (port 465). Otherwise STARTTLS switches the connection to TLS. */
  secure: z.boolean().default(false),
  /**
   * Refuse to send in clear when the server offers no STARTTLS: an attacker in between could remove the offer and read
   * password and mails. Default: true, unless `host` is this machine. See `needsTls`.
   */
  requireTls: z.boolean().exactOptional(),
  user: z.string().exactOptional(),
  password: z.string().exactOptional(),
  tls: z
    .strictObject({
      /** Certificates (PEM) of your own issuer; `ca_file` reads them. */
      ca: z.string().min(1).exactOptional(),
      /** The name in the server's certificate, if it is not `host`. */
      serverName: z.string().min(1).exactOptional(),
      minVersion: z.enum(["TLSv1.2", "TLSv1.3"]).default("TLSv1.2"),
    })
    .prefault({}),
  /** Connections that stay open for the next mail; 0 opens one for each mail. */
  connections: z.int().min(0).max(20).default(0),
});

/** Signs mails, including `List-Unsubscribe` and `List-Unsubscribe-Post`. */
const Dkim = z.strictObject({
  domain: z.string().min(1),
  selector: z.string().min(1),
  /** PEM; `privateKey_file` reads it. */
  privateKey: z.string().min(1),
});

export const EmailConfig = z.strictObject({
  kind: z.literal("email"),
  /** One address: several people are several receivers, so that each has an outcome of its own. */
  to: Address,
  from: Address,
  /** The display name of `from`. */
  fromName: z
    .string()
    .max(60)
    .regex(/^\P{Cc}*$/u, "expected one line")
    .default("Earshot"),
  /**
   * Where mail servers report mails that they could not deliver; default: `from`. `{id}` in it becomes the
   * notification's id, so that each mail has its own return path: `bounces+{id}@brand.example`.
   */
  bouncesTo: z
    .string()
    .refine(
      isReturnPath,
      "expected an address such as bounces+{id}@brand.example, with at most 64 characters before the @",
    )
    .exactOptional(),
  smtp: Smtp,
  dkim: Dkim.exactOptional(),
});
export type EmailConfig = z.output<typeof EmailConfig>;

/** Whether nothing may be sent to this server in clear. */
export function needsTls({ host, requireTls }: EmailConfig["smtp"]): boolean {
  return requireTls ?? !isLoopback(host);
}

/** Advice on a valid configuration. */
export function emailConcerns({ smtp }: EmailConfig): readonly CheckNote[] {
  if (smtp.secure || needsTls(smtp) || isLoopback(smtp.host)) return [];
  const what = smtp.user === undefined ? "mails" : "the password and the mails";
  return [
    {
      found: `requireTls is false: ${what} may cross the network to ${smtp.host} in clear`,
      advice: "Remove requireTls: false, or take a mail server that speaks TLS.",
    },
  ];
}

function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf("@") + 1;
  const domain = address.slice(at);
  if (at === 0 || /^\p{ASCII}*$/u.test(domain)) return address;
  return `${address.slice(0, at)}${domainToASCII(domain) || domain}`;
}

/** Whether it is an address once `{id}` is filled in: mail servers take 64 characters before the @ (RFC 5321). */
function isReturnPath(bouncesTo: string): boolean {
  const address = returnPath({ bouncesTo, from: "" }, "0".repeat(32));
  return z.email().safeParse(address).success && address.indexOf("@") <= 64;
}

/** The options by which nodemailer reaches the mail server. */
export function transportOptions({ smtp, dkim }: EmailConfig) {
  const { ca, serverName, minVersion } = smtp.tls;
  return {
    host: smtp.host,
    port: smtp.port,
    secure: smtp.secure,
    requireTLS: needsTls(smtp),
    tls: {
      minVersion,
      ...(ca !== undefined && { ca }),
      ...(serverName !== undefined && { servername: serverName }),
    },
    ...(smtp.user !== undefined && { auth: { user: smtp.user, pass: smtp.password ?? "" } }),
    ...(dkim !== undefined && {
      dkim: {
        domainName: dkim.domain,
        keySelector: dkim.selector,
        privateKey: dkim.privateKey,
        headerFieldNames: SIGNED,
      },
    }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    // Text of a mention must never make the mail library read a file or fetch an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The same with connections that stay open. A broken connection is an error: the queue decides about retries. */
export function poolOptions(config: EmailConfig) {
  return {
    ...transportOptions(config),
    pool: true as const,
    maxConnections: config.smtp.connections,
    maxMessages: 100,
    maxRequeues: 0,
  };
}

/** RFC 8058 requires both headers of the one click to be signed. */
const SIGNED = [
  "From",
  "To",
  "Subject",
  "Date",
  "Message-ID",
  "MIME-Version",
  "Content-Type",
  "Content-Transfer-Encoding",
  "In-Reply-To",
  "References",
  "List-ID",
  "List-Unsubscribe",
  "List-Unsubscribe-Post",
].join(":");
