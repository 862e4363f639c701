import { createTransport, type SendMailOptions } from "nodemailer";
import { z } from "zod";
import { describeError } from "../../lib/errors.ts";
import {
  defineNotifier,
  type NotifierDeps,
  type NotifierMessage,
  type VendorRef,
} from "../define-notifier.ts";
import { DeliveryError } from "../delivery-error.ts";
import { composeEmail } from "./email/compose-email.ts";
import { toEmailDeliveryError } from "./email/email-error.ts";
import { messageId } from "./email/message-id.ts";

const EmailConfig = z.strictObject({
  kind: z.literal("email"),
  /** One address: several people are several receivers, so that each has an outcome of its own. */
  to: z.email(),
  from: z.email(),
  /** The name beside `from`. */
  fromName: z.string().max(60).default("Earshot"),
  smtp: z.strictObject({
    host: z.string().min(1),
    port: z.int().min(1).max(65_535).default(587),
    /** TLS from the first byte (port 465). Otherwise STARTTLS is used where the server offers it. */
    secure: z.boolean().default(false),
    /** Refuse to go on in clear when the server offers no STARTTLS. */
    requireTls: z.boolean().default(false),
    user: z.string().exactOptional(),
    password: z.string().exactOptional(),
  }),
});
type EmailConfig = z.output<typeof EmailConfig>;

export const email = defineNotifier({
  kind: "email",
  config: EmailConfig,
  create: (config, deps) => {
    const transport = createTransport(transportOptions(config));
    const attempt = async <T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> => {
      try {
        return await withSignal(run, signal);
      } catch (error) {
        throw toEmailDeliveryError(error, [config.smtp.password ?? ""]);
      }
    };
    return {
      send: (message, { signal }) =>
        attempt(signal, async () => {
          const mail = await compose(message, config, deps);
          const { response } = await transport.sendMail(mail);
          return { vendorRef: { messageId: mail.messageId, answer: oneLine(response) } };
        }),
      check: async ({ signal }) => {
        await attempt(signal, () => transport.verify());
      },
      close: async () => transport.close(),
    };
  },
});

function transportOptions({ smtp }: EmailConfig) {
  return {
    host: smtp.host,
    port: smtp.port,
    secure: smtp.secure,
    requireTLS: smtp.requireTls,
    ...(smtp.user !== undefined && { auth: { user: smtp.user, pass: smtp.password ?? "" } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    // Mention text never names a file or an address that the mail library would fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** nodemailer knows no signal. What was given up may still arrive; its Message-ID makes the repeat recognisable. */
async function withSignal<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const gaveUp = () => new DeliveryError("Gave up waiting for the mail server", { retryable: true });
  if (signal.aborted) throw gaveUp();
  const { promise: abandoned, reject } = withResolvers<never>();
  const onAbort = () => reject(gaveUp());
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([run(), abandoned]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function compose(message: NotifierMessage, config: EmailConfig, deps: NotifierDeps): Promise<Mail> {
  const domain = config.from.slice(config.from.lastIndexOf("@") + 1);
  return {
    from: { name: config.fromName, address: config.from },
    to: { name: "", address: config.to },
    envelope: { from: config.from, to: [config.to] },
    date: new Date(deps.clock.now()),
    messageId: messageId("notification", message.notificationId, domain),
    ...thread(message, domain),
    headers: {
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
      "List-Id": `<${message.kind === "digest" ? "digests" : "alerts"}.earshot.${domain}>`,
      ...(message.kind !== "digest" && message.view.severity === "critical" && { Importance: "high" }),
    },
    ...(await contentWithChart(message, deps)),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

type Mail = SendMailOptions & { messageId: string };

/**
 * All mails about one alert refer to one id that is made from the alert's, whether or not the first of them got
 * through; so they stay together even where a receiver joined late.
 */
function thread(message: NotifierMessage, domain: string): Pick<SendMailOptions, "inReplyTo" | "references"> {
  if (message.kind === "digest") return {};
  const root = messageId("alert", message.alertId, domain);
  const first = previousId(message.previous);
  return { inReplyTo: first ?? root, references: first === null ? [root] : [root, first] };
}

function previousId(previous: VendorRef | null): string | null {
  const id = previous?.["messageId"];
  return id !== undefined && /^<[^<>\s]+>$/.test(id) ? id : null;
}

/** A picture that could not be made must not leave a hole in the message. */
async function contentWithChart(
  message: NotifierMessage,
  { renderer, log }: NotifierDeps,
): Promise<Pick<Mail, "subject" | "text" | "html" | "attachments">> {
  if (message.kind === "digest") return composeEmail(message, renderer);
  const chart = await chartOf(message, log);
  return {
    ...composeEmail({ ...message, view: { ...message.view, hasChart: chart !== null } }, renderer),
    ...(chart !== null && { attachments: [{ ...CHART, content: chart }] }),
  };
}

/** What the mail server said, such as the name in its queue by which its administrator finds the mail again. */
function oneLine(response: string): string {
  return (
    response
      .replaceAll(/[\p{Cc}\s]+/gu, " ")
      .trim()
      .slice(0, 200) || "accepted"
  );
}

/** The id is the one that the template names; it has to be unique in its mail only. */
const CHART = {
  filename: "chart.png",
  contentType: "image/png",
  contentDisposition: "inline",
  cid: "chart@earshot",
} as const;

async function chartOf(message: NotifierMessage, log: NotifierDeps["log"]): Promise<Buffer | null> {
  if (message.kind === "digest" || !message.chart || message.view.resolvedAt !== null) return null;
  try {
    return await message.chart();
  } catch (error) {
    log.warn({ notificationId: message.notificationId, reason: describeError(error) }, "email: no chart");
    return null;
  }
}

/** `Promise.withResolvers` for Node 20. */
function withResolvers<T>(): { promise: Promise<T>; reject: (reason: Error) => void } {
  let reject: (reason: Error) => void = () => {};
  const promise = new Promise<T>((_, onReject) => {
    reject = onReject;
  });
  return { promise, reject };
}
