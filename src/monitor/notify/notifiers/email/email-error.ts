import { DeliveryError } from "../../delivery-error.ts";

/** Turns an error of nodemailer into a delivery error. In SMTP 4xx is temporary, 5xx permanent. */
export function toEmailDeliveryError(error: unknown, secrets: readonly string[]): DeliveryError {
  if (error instanceof DeliveryError) return error;
  const { code, responseCode, response, message, command } = fieldsOf(error);
  if (code === "EAUTH" && (responseCode === null || responseCode >= 500)) {
    return new DeliveryError(`The mail server refused the login: ${response ?? message}`, {
      code: "login_refused",
      retryable: false,
      advice: "Check the user name and password of the receiver's SMTP server.",
      secrets,
    });
  }
  if (code === "ETLS") {
    // Retried: a network that removes the offer of TLS today may not do so tomorrow.
    return new DeliveryError(`The mail server offers no TLS: ${response ?? message}`, {
      code: "no_tls",
      retryable: true,
      concernsChannel: true,
      advice: "Check the server's port and TLS, or set requireTls: false if sending in clear is meant.",
      secrets,
    });
  }
  if (responseCode !== null) {
    const isPermanent = responseCode >= 500;
    return new DeliveryError(`The mail server answered ${response ?? responseCode}`, {
      code: `smtp_${responseCode}`,
      retryable: !isPermanent,
      concernsChannel: isBeforeTheMail(command) || responseCode === 421,
      advice: isPermanent ? adviceFor(responseCode) : null,
      secrets,
    });
  }
  if (code === "EENVELOPE" || code === "EMESSAGE") {
    return new DeliveryError(`The mail cannot be sent as it is: ${message}`, {
      code: "unsendable",
      retryable: false,
      advice: "Check the receiver's to and from addresses.",
      secrets,
    });
  }
  const { text, advice } = describeConnection(code, message);
  return new DeliveryError(text, {
    code: "unreachable",
    retryable: true,
    concernsChannel: true,
    advice,
    secrets,
  });
}

/** An answer before the mail was described would be the same for any mail. */
function isBeforeTheMail(command: string): boolean {
  return !/^(MAIL|RCPT|DATA)/i.test(command);
}

/** Why a connection failed. Always retried: expired certificates are renewed, and nothing is sent until then. */
function describeConnection(code: string | null, message: string): { text: string; advice: string | null } {
  if (/altnames|does not match certificate/i.test(message)) {
    return {
      text: `The mail server's certificate is for another name: ${message}`,
      advice: "Check smtp.host, or name what the certificate says in smtp.tls.serverName.",
    };
  }
  if (/certificate|self.signed|issuer/i.test(message)) {
    return {
      text: `The mail server's certificate is not trusted: ${message}`,
      advice: "Give the certificate of its issuer in smtp.tls.ca_file, or have a valid one installed there.",
    };
  }
  if (/wrong version number|packet length too long/i.test(message)) {
    return {
      text: "The mail server does not speak TLS from the first byte on that port",
      advice: "Leave out smtp.secure for STARTTLS (port 587), or use the port of TLS (465).",
    };
  }
  return { text: `The mail server cannot be reached (${code ?? "no code"}): ${message}`, advice: null };
}

function adviceFor(responseCode: number): string {
  if ([530, 534, 535, 538].includes(responseCode)) {
    return "Check the user name and password of the receiver's SMTP server.";
  }
  if (responseCode === 552 || responseCode === 523)
    return "The mail server takes no mail of this size, or the mailbox is full.";
  return "Check that the address exists and that the mail server lets Earshot send to it.";
}

interface Fields {
  readonly code: string | null;
  readonly responseCode: number | null;
  readonly response: string | null;
  readonly message: string;
  /** The command that was answered, if known. */
  readonly command: string;
}

function fieldsOf(error: unknown): Fields {
  const fields: Record<string, unknown> = typeof error === "object" && error !== null ? { ...error } : {};
  const { code, responseCode, response, command } = fields;
  return {
    code: typeof code === "string" ? code : null,
    responseCode: typeof responseCode === "number" && responseCode >= 400 ? responseCode : null,
    response: typeof response === "string" ? response : null,
    message: error instanceof Error ? error.message : "unknown reason",
    command: typeof command === "string" ? command : "",
  };
}
