import { DeliveryError } from "../../delivery-error.ts";

/** What nodemailer threw, as a delivery error. SMTP says it itself: 4xx is for now, 5xx for good. */
export function toEmailDeliveryError(error: unknown, secrets: readonly string[]): DeliveryError {
  if (error instanceof DeliveryError) return error;
  const { code, responseCode, response, message } = fieldsOf(error);
  if (code === "EAUTH" && (responseCode === null || responseCode >= 500)) {
    return new DeliveryError(`The mail server refused the login: ${response ?? message}`, {
      retryable: false,
      advice: "Check the user name and password of the receiver's SMTP server.",
      secrets,
    });
  }
  if (code === "ETLS") {
    // Tried again: a network that strips the offer today may not do so tomorrow.
    return new DeliveryError(`The mail server offers no TLS: ${response ?? message}`, {
      retryable: true,
      advice: "Check the server's port and TLS, or set requireTls: false if sending in clear is meant.",
      secrets,
    });
  }
  if (responseCode !== null) {
    const isPermanent = responseCode >= 500;
    return new DeliveryError(`The mail server answered ${response ?? responseCode}`, {
      retryable: !isPermanent,
      advice: isPermanent ? adviceFor(responseCode) : null,
      secrets,
    });
  }
  if (code === "EENVELOPE" || code === "EMESSAGE") {
    return new DeliveryError(`The mail cannot be sent as it is: ${message}`, {
      retryable: false,
      advice: "Check the receiver's to and from addresses.",
      secrets,
    });
  }
  const isCertificate = /certificate|self.signed|altnames/i.test(message);
  return new DeliveryError(`The mail server cannot be reached (${code ?? "no code"}): ${message}`, {
    retryable: true,
    advice: isCertificate
      ? "The mail server's certificate does not fit: check its host name and its issuer."
      : null,
    secrets,
  });
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
}

function fieldsOf(error: unknown): Fields {
  const fields: Record<string, unknown> = typeof error === "object" && error !== null ? { ...error } : {};
  const { code, responseCode, response } = fields;
  return {
    code: typeof code === "string" ? code : null,
    responseCode: typeof responseCode === "number" && responseCode >= 400 ? responseCode : null,
    response: typeof response === "string" ? response : null,
    message: error instanceof Error ? error.message : "unknown reason",
  };
}
