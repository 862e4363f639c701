import { randomUUID } from "node:crypto";
import { messageId, returnPath } from "./compose-email.ts";
import { type EmailConfig, transportOptions } from "./email-config.ts";
import { toEmailDeliveryError } from "./email-error.ts";

interface Invitation {
  readonly to: string;
  /** The name to log in with. */
  readonly name: string;
  readonly by: string;
  /** It logs in whoever opens it: it stands in this mail, and nowhere else. */
  readonly url: string;
  /** The last moment at which it works, in words. */
  readonly until: string;
}

/** Sends one at once, from the sender of a receiver of mails. Null: the mail server took it; otherwise why not. */
export async function sendInvitation(
  config: EmailConfig,
  { to, name, by, url, until }: Invitation,
): Promise<string | null> {
  const { createTransport } = await import("nodemailer");
  const transport = createTransport(transportOptions(config));
  const id = randomUUID();
  try {
    await transport.sendMail({
      from: { name: config.fromName, address: config.from },
      to: { name: "", address: to },
      envelope: { from: returnPath(config, id), to: [to] },
      messageId: messageId(id, config.from.slice(config.from.lastIndexOf("@") + 1)),
      headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
      subject: "Your invitation to Earshot",
      text: `${by} invites you to Earshot, which watches what people say about your brand.

Choose a password, and log in as ${name}:
${url}

The link works once, until ${until}. If you did not expect it, do nothing.
`,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return null;
  } catch (error) {
    const secrets = [config.smtp.password ?? "", config.dkim?.privateKey ?? ""];
    return toEmailDeliveryError(error, secrets).message;
  } finally {
    transport.close();
  }
}
