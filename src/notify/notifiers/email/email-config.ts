import { domainToASCII } from "node:url";
import { z } from "zod";
import { isLoopback } from "../../../lib/loopback.ts";
import type { CheckNote } from "../../define-notifier.ts";
import { returnPath } from "./return-path.ts";

/** Domains may be written as people read them; on the wire they are ASCII, which every mail server takes. */
const Address = z
  .string()
  .transform(withAsciiDomain)
  .pipe(z.email("expected one address such as ann@brand.example, without a name beside it"));

const Smtp = z.strictObject({
  host: z.string().min(1),
  port: z.int().min(1).max(65_535).default(587),
  /** TLS from the first byte (port 465). Otherwise the connection is turned into one by STARTTLS. */
  secure: z.boolean().default(false),
  /**
   * Refuse to go on in clear when the server offers no STARTTLS: whoever stands between could take the offer away and
   * read password and mails. Default: true, unless `host` is this machine. See `needsTls`.
   */
  requireTls: z.boolean().exactOptional(),
  user: z.string().exactOptional(),
  password: z.string().exactOptional(),
  tls: z
    .strictObject({
      /** Certificates (PEM) of an issuer of your own; `ca_file` reads them. */
      ca: z.string().min(1).exactOptional(),
      /** The name in the server's certificate, where it is not `host`. */
      serverName: z.string().min(1).exactOptional(),
      minVersion: z.enum(["TLSv1.2", "TLSv1.3"]).default("TLSv1.2"),
    })
    .prefault({}),
  /** Connections that are kept open for the next mail; 0 opens one for each. */
  connections: z.int().min(0).max(20).default(0),
});

/** Signs mails, `List-Unsubscribe` and its one click included. */
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
  /** The name beside `from`. */
  fromName: z
    .string()
    .max(60)
    .regex(/^\P{Cc}*$/u, "expected one line")
    .default("Earshot"),
  /**
   * Where mail servers report what they could not deliver later on; `from` unless told otherwise. `{id}` in it becomes
   * the notification's, so that each mail has a return path of its own: `bounces+{id}@brand.example`.
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

/** Whether nothing may be said to this server in clear. */
export function needsTls({ host, requireTls }: EmailConfig["smtp"]): boolean {
  return requireTls ?? !isLoopback(host);
}

/** What of the configuration alone should be seen to. */
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

/** Whether it is an address with an id in its place: mail servers take 64 characters before the @ (RFC 5321). */
function isReturnPath(bouncesTo: string): boolean {
  const address = returnPath({ bouncesTo, from: "" }, "0".repeat(32));
  return z.email().safeParse(address).success && address.indexOf("@") <= 64;
}
