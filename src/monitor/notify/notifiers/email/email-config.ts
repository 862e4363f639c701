import { domainToASCII } from "node:url";
import { z } from "zod";
import { isLoopback } from "../../../../lib/listening.ts";
import type { CheckNote } from "../../define-notifier.ts";
import { returnPath } from "./compose-email.ts";

/** Domains may be written in Unicode; they are sent as ASCII, which every mail server takes. */
const Address = z
  .string()
  .transform(withAsciiDomain)
  .pipe(z.email("expected one address such as ann@brand.example, without a name"));

const Smtp = z.strictObject({
  host: z.string().min(1).describe("Host name of the mail server."),
  port: z.int().min(1).max(65_535).default(587).describe("Port of the mail server."),
  secure: z
    .boolean()
    .default(false)
    .describe("true: TLS from the first byte, as on port 465. Otherwise STARTTLS switches to TLS."),
  /** An attacker in between could remove the offer of STARTTLS and read password and mails. See `needsTls`. */
  requireTls: z
    .boolean()
    .exactOptional()
    .describe(
      "Refuses to send in clear if the server offers no TLS. Default: true, unless host is this machine.",
    ),
  user: z.string().exactOptional().describe("Login at the mail server, if it needs one."),
  password: z.string().exactOptional().meta({ description: "Password at the mail server.", writeOnly: true }),
  tls: z
    .strictObject({
      ca: z
        .string()
        .min(1)
        .exactOptional()
        .meta({ description: "Certificates (PEM) of your own issuer.", writeOnly: true }),
      serverName: z
        .string()
        .min(1)
        .exactOptional()
        .describe("The name in the server's certificate, if it is not host."),
      minVersion: z.enum(["TLSv1.2", "TLSv1.3"]).default("TLSv1.2").describe("The oldest version of TLS."),
    })
    .prefault({})
    .describe("Details of TLS. Only for a mail server with its own certificates."),
  connections: z
    .int()
    .min(0)
    .max(20)
    .default(0)
    .describe("Connections that stay open for the next mail. 0 opens one for each mail."),
});

/** Signs mails, including `List-Unsubscribe` and `List-Unsubscribe-Post`. */
const Dkim = z.strictObject({
  domain: z.string().min(1).describe("Domain that signs, usually that of from."),
  selector: z.string().min(1).describe("Selector: the key is in the DNS at <selector>._domainkey.<domain>."),
  privateKey: z.string().min(1).meta({ description: "Private key, as PEM.", writeOnly: true }),
});

export const EmailConfig = z.strictObject({
  kind: z.literal("email").describe("Sends emails to one address."),
  to: Address.describe(
    "Address of the reader. Several people are several receivers. Example: ann@brand.example",
  ),
  from: Address.describe("Address of the sender. Example: earshot@brand.example"),
  fromName: z
    .string()
    .max(60)
    .regex(/^\P{Cc}*$/u, "expected one line")
    .default("Earshot")
    .describe("Name of the sender that people see."),
  bouncesTo: z
    .string()
    .refine(
      isReturnPath,
      "expected an address such as bounces+{id}@brand.example, with at most 64 characters before the @",
    )
    .exactOptional()
    .describe(
      "Where mail servers report mails that they could not deliver; {id} in it becomes the id of the message. Default: from. Example: bounces+{id}@brand.example",
    ),
  smtp: Smtp.describe("The mail server that sends."),
  dkim: Dkim.exactOptional().describe("Signs each mail with DKIM, if the mail server does not."),
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
