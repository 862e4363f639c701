import type { SendMailOptions } from "nodemailer";
import { describeError } from "../../../lib/errors.ts";
import {
  type ChannelLimit,
  defineNotifier,
  type NotifierDeps,
  type NotifierMessage,
  type VendorRef,
} from "../define-notifier.ts";
import { DeliveryError } from "../delivery-error.ts";
import { composeEmail, messageId, returnPath } from "./email/compose-email.ts";
import { EmailConfig, emailConcerns, poolOptions, transportOptions } from "./email/email-config.ts";
import { toEmailDeliveryError } from "./email/email-error.ts";

export const email = defineNotifier({
  kind: "email",
  config: EmailConfig,
  words: { checked: "the mail server accepts our login", sent: "the mail server took the mail" },
  channel: serverLimit,
  reader: ({ to }) => to,
  reachesPeople: true,
  concerns: emailConcerns,
  preview: composeEmail,
  rehearse: {
    config: ({ dkim: _, ...config }, { smtp }) => ({
      ...config,
      smtp: { ...smtp, secure: false, requireTls: false, tls: config.smtp.tls, connections: 0 },
    }),
    // The part after @ depends on the configuration.
    isOf: (request, id) =>
      request.by === "smtp" && request.messageId.startsWith(messageId(id, "").slice(0, -1)),
  },
  create: (config, deps) => {
    let opened: ReturnType<typeof openTransport> | null = null;
    const transport = () => (opened ??= openTransport(config));
    const attempt = async <T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> => {
      try {
        return await withSignal(run, signal);
      } catch (error) {
        throw toEmailDeliveryError(error, [config.smtp.password ?? "", config.dkim?.privateKey ?? ""]);
      }
    };
    return {
      send: (message, { signal, beforePost }) =>
        attempt(signal, async () => {
          const mail = await compose(message, config, deps);
          await beforePost?.();
          const { response } = await (await transport()).sendMail(mail);
          const first = previousId(message.previous);
          const { messageId, subject } = mail;
          const vendorRef = { messageId, subject, to: addressOf(message, config), answer: oneLine(response) };
          return { vendorRef: first === null ? vendorRef : { ...vendorRef, inThread: first } };
        }),
      check: async ({ signal }) => {
        await attempt(signal, async () => (await transport()).verify());
      },
      close: async () => (await opened)?.close(),
    };
  },
});

/** The library is read with the first mail: a process that sends none does not wait for it. */
async function openTransport(config: EmailConfig) {
  const { createTransport } = await import("nodemailer");
  return config.smtp.connections === 0
    ? createTransport(transportOptions(config))
    : createTransport(poolOptions(config));
}

/**
 * Receivers of one mail server share a limit: they wait together while it is down, and then keep their order. The rate
 * is one that any mail server can take.
 */
function serverLimit({ smtp }: EmailConfig): ChannelLimit {
  return { key: `smtp ${smtp.host}:${smtp.port}`, everyMs: 20, burst: 20 };
}

/** nodemailer knows no signal. An abandoned mail may still arrive; its Message-ID marks the repeat. */
async function withSignal<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const gaveUp = () =>
    new DeliveryError("Gave up waiting for the mail server", { code: "unreachable", retryable: true });
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
  const to = addressOf(message, config);
  const content = await contentWithChart(message, deps);
  return {
    from: { name: config.fromName, address: config.from },
    to: { name: "", address: to },
    envelope: { from: returnPath(config, message.notificationId), to: [to] },
    date: new Date(deps.clock.now()),
    messageId: messageId(message.notificationId, domain),
    ...thread(message),
    ...unsubscribing(message),
    headers: {
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
      "List-Id": `<${message.kind === "digest" ? "digests" : "alerts"}.earshot.${domain}>`,
      ...(message.kind !== "digest" && message.view.severity === "critical" && { Importance: "high" }),
      ...(isOneClick(message) && { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
    },
    ...content,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function addressOf(message: NotifierMessage, { to }: EmailConfig): string {
  return (message.kind === "digest" ? message.to : undefined) ?? to;
}

type Mail = SendMailOptions & { messageId: string; subject: string };

/**
 * All mails about one alert refer to the first one that got through, so that every reader has the root of the thread.
 * The first refers to nothing. Subjects are not kept, although Gmail starts another thread for another subject: a list of
 * mails shows them, and an end must not read CRITICAL.
 */
function thread(message: NotifierMessage): Pick<SendMailOptions, "inReplyTo" | "references"> {
  const first = previousId(message.previous);
  return first === null ? {} : { inReplyTo: first, references: [first] };
}

/** The link is ours, signed for this subscriber (RFC 2369). */
function unsubscribing({ kind, view }: NotifierMessage): Pick<SendMailOptions, "list"> {
  if (kind !== "digest" || view.unsubscribeUrl === null) return {};
  return { list: { unsubscribe: { url: view.unsubscribeUrl } } };
}

/** The one click without a page in between (RFC 8058) needs https. */
function isOneClick({ kind, view }: NotifierMessage): boolean {
  return kind === "digest" && view.unsubscribeUrl?.startsWith("https:") === true;
}

function previousId(previous: VendorRef | null): string | null {
  const id = previous?.["messageId"];
  return id !== undefined && /^<[^<>\s]+>$/.test(id) ? id : null;
}

/** A failed chart must not leave a hole in the message. */
async function contentWithChart(
  message: NotifierMessage,
  { renderer, log }: NotifierDeps,
): Promise<Pick<Mail, "subject" | "text" | "html" | "attachments">> {
  if (message.kind === "digest") return composeEmail(message, renderer);
  const bare = { ...message, view: { ...message.view, hasChart: false } };
  if (!message.chart) return composeEmail(bare, renderer);
  const content = composeEmail({ ...message, view: { ...message.view, hasChart: true } }, renderer);
  try {
    const attachments = [];
    // An image that no template shows would appear as an attachment.
    for (const { scheme, ...part } of CHARTS) {
      if (content.html.includes(`cid:${part.cid}`))
        attachments.push({ ...part, ...INLINE, content: await message.chart(scheme) });
    }
    return { ...content, ...(attachments.length > 0 && { attachments }) };
  } catch (error) {
    log.warn({ notificationId: message.notificationId, reason: describeError(error) }, "email: no chart");
    return composeEmail(bare, renderer);
  }
}

/** The mail server's answer, such as its queue id, by which its administrator finds the mail again. */
function oneLine(response: string): string {
  return (
    response
      .replaceAll(/[\p{Cc}\s]+/gu, " ")
      .trim()
      .slice(0, 200) || "accepted"
  );
}

/** The ids are those in the template; they have to be unique within their mail only. */
const CHARTS = [
  { scheme: "light", filename: "chart.png", cid: "chart@earshot" },
  { scheme: "dark", filename: "chart-dark.png", cid: "chart-dark@earshot" },
] as const;

const INLINE = { contentType: "image/png", contentDisposition: "inline" } as const;

/** `Promise.withResolvers` for Node 20. */
function withResolvers<T>(): { promise: Promise<T>; reject: (reason: Error) => void } {
  let reject: (reason: Error) => void = () => {};
  const promise = new Promise<T>((_, onReject) => {
    reject = onReject;
  });
  return { promise, reject };
}
