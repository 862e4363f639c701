import { isIP } from "node:net";
import { z } from "zod";
import { MINUTE } from "../../lib/instant.ts";
import { defineFeed, FeedKeys } from "../common/define-feed.ts";

const Imap = z.strictObject({
  host: z.string().min(1).max(250).describe("Host of the IMAP server. Example: imap.gmail.com"),
  port: z.int().min(1).max(65_535).default(993).describe("Its port."),
  user: z.string().min(1).max(300).describe("Who logs in. Example: alerts@acme.example"),
  password: z.string().min(1).max(1_000).meta({
    description: "The password, best one for this program alone (an app password). It is only read.",
    writeOnly: true,
  }),
  folder: z.string().min(1).max(500).default("INBOX").describe("The folder whose mails are read."),
  encryption: z
    .enum(["tls", "starttls", "none"])
    .default("tls")
    .describe(
      "How the connection is protected: tls (port 993), starttls (port 143), or none, for a server on this machine.",
    ),
});

/** Google Alerts and newsletters that arrive in a mailbox. It only reads: nothing is marked, moved or deleted. */
export const mailbox = defineFeed({
  kind: "mailbox",
  about: "Google Alerts, each entry an item, and newsletters, from a mailbox (IMAP) that is only read.",
  config: z.strictObject({
    kind: z.literal("mailbox").describe("Google Alerts and newsletters by mail."),
    ...FeedKeys,
    imap: Imap.describe("The mailbox."),
    from: z
      .array(z.string().regex(/^\S*@?[^\s@]+$/, "expected an address or @domain"))
      .min(1)
      .max(200)
      .exactOptional()
      .describe(
        "Only mails of these senders are read. Default: all; anybody may write to a mailbox. Example: [googlealerts-noreply@google.com, '@newsletter.example']",
      ),
  }),
  policy: {
    version: 1,
    storedCharacters: 1_000,
    sentOut: "the subject or headline, a short snippet, and the link of an alert",
    deletesLearntBy: "not at all: a mail is read once",
    terms: "those of whoever wrote",
  },
  pace: { everyMs: 0, atOnce: 1 },
  everyMs: 5 * MINUTE,
  pageType: "general",
  parts: ({ name, imap: { host, port, user, folder } }) => [
    {
      id: `${user} ${host}:${port} ${folder}`,
      name:
        name ?? `${user.includes("@") ? user : `${user}@${host}`}${folder === "INBOX" ? "" : ` ${folder}`}`,
      url: `imap://${isIP(host) === 6 ? `[${host}]` : host}:${port}/`,
    },
  ],
  // Each mail is read once, for one list of senders.
  sharedPart: () => ({
    path: ["imap"],
    message: "another feed reads this folder already; write the senders of both into the `from` of one",
  }),
  async collect(_part, settings, cursor, parts) {
    // Two large packages that no process without a mailbox needs.
    const { collectMails } = await import("./mailbox/collect-mails.ts");
    return collectMails(settings, cursor, parts);
  },
});
