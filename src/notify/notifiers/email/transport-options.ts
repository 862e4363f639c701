import { type EmailConfig, needsTls } from "./email-config.ts";

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
