import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderMrkdwn } from "../../../src/console/inbox/render-mrkdwn.ts";
import { renderSlackMessage } from "../../../src/console/inbox/render-slack-message.ts";
import { attacks, hostileUrls } from "../../fixtures/attacks.ts";

describe("mrkdwn", () => {
  it.each([
    ["*bold* and _it_ and ~no~", "<strong>bold</strong> and <em>it</em> and <s>no</s>"],
    ["snake_case_name and 2*3*4", "snake_case_name and 2*3*4"],
    ["`a < b`", "<code>a &lt; b</code>"],
    ["a &amp; b &lt;c&gt;", "a &amp; b &lt;c&gt;"],
    ["&amp;lt;", "&amp;lt;"],
    ["one\ntwo", "one<br>two"],
    ["&gt; quoted", '<span class="slack-quote">quoted</span>'],
    ["<!channel>", '<span class="slack-mention">@channel</span>'],
    ["<@U1|boss>", '<span class="slack-mention">boss</span>'],
    ["<javascript:alert(1)|x>", "&lt;javascript:alert(1)|x&gt;"],
    [
      "<https://a.example/?b=1&amp;c=2|here>",
      '<a href="https://a.example/?b=1&amp;c=2" rel="noopener noreferrer nofollow">here</a>',
    ],
  ])("%j is shown as Slack shows it", (text, html) => {
    expect(renderMrkdwn(text)).toBe(html);
  });
});

describe("a Slack message as HTML", () => {
  const ALLOWED =
    /^<((\/?(div|h3|p|a|span|strong|em|s|code|pre|blockquote|ul|ol|li)|br|hr)( class="slack-[a-z-]+( (is|slack)-[a-z]+)?")?( href="(?:https?|HTTPS?):[^"<>]*" rel="noopener noreferrer nofollow")?|img class="slack-picture" src="\/files\/[^"<>]*" alt="[^"<>]*")>$/;

  function expectSafe(html: string): void {
    for (const tag of new Set(html.match(/<[^>]*>?/g))) expect(tag).toMatch(ALLOWED);
  }

  function messageOf(text: string): unknown[] {
    const mrkdwn = { type: "mrkdwn", text };
    const plain = { type: "plain_text", text };
    const elements = [
      { type: "text", text, style: { bold: true } },
      { type: "link", url: text, text },
      { type: text, name: text },
    ];
    return [
      { type: "header", text: plain },
      {
        type: "section",
        text: mrkdwn,
        fields: [mrkdwn, plain],
        accessory: { type: "image", alt_text: text, image_url: text },
      },
      { type: "context", elements: [mrkdwn, plain] },
      {
        type: "actions",
        elements: [
          { type: "button", text: plain, url: text },
          { type: "button", text: plain },
          { type: "button", text: plain, style: text, confirm: { title: plain } },
          { type: "button", text: plain, style: "primary", url: text },
          { type: "static_select", placeholder: plain, options: [{ text: plain, value: text }, text] },
          { type: "users_select", placeholder: plain, initial_user: text },
        ],
      },
      { type: "image", slack_file: { id: text }, alt_text: text, title: plain },
      {
        type: "rich_text",
        elements: ["rich_text_section", "rich_text_quote", "rich_text_preformatted", text].map((type) => ({
          type,
          elements,
        })),
      },
      {
        type: "rich_text",
        elements: [
          { type: "rich_text_list", style: text, elements: [{ type: "rich_text_section", elements }] },
        ],
      },
      { type: text },
    ];
  }

  it("has only safe tags, whatever the blocks contain", () => {
    const file = (id: string) => `/files/${id}`;
    for (const { text } of attacks) expectSafe(renderSlackMessage(messageOf(text), text, file));
    for (const url of hostileUrls) expectSafe(renderSlackMessage(messageOf(url), url, file));
  });

  it("takes any JSON", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.string(), (blocks, text) =>
        expectSafe(renderSlackMessage(blocks, text)),
      ),
    );
  });

  it("shows a picture that is there, and names one that is not", () => {
    const picture = [{ type: "image", slack_file: { id: "F0123456789" }, alt_text: "Chart: 62 mentions" }];
    expect(renderSlackMessage(picture, "", (id) => `/inbox/files/${id}`)).toContain(
      '<img class="slack-picture" src="/inbox/files/F0123456789" alt="Chart: 62 mentions">',
    );
    expect(renderSlackMessage(picture)).toContain("[image: Chart: 62 mentions]");
  });

  it("shows the text when there are no blocks", () => {
    expect(renderSlackMessage([], "*hello*")).toBe(
      '<div class="slack-message"><p class="slack-section"><strong>hello</strong></p></div>',
    );
  });
});
