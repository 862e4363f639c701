import { type EmailConfig, needsTls } from "./email-config.ts";

/** How nodemailer reaches the mail server. */
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
    // Mention text never names a file or an address that the mail library would fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The same with connections that stay open. What breaks in between is reported: the queue decides about repeats. */
export function poolOptions(config: EmailConfig) {
  return {
    ...transportOptions(config),
    pool: true as const,
    maxConnections: config.smtp.connections,
    maxMessages: 100,
    maxRequeues: 0,
  };
}

/** RFC 8058 wants both headers of the one click under the signature. */
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
