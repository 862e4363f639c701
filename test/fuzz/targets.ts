import { FeedError } from "../../src/feeds/common/define-feed.ts";
import { readJsonAnswer } from "../../src/feeds/common/read-json-answer.ts";
import { isAllowed, readRobots } from "../../src/feeds/common/robots.ts";
import { textOfBytes } from "../../src/feeds/common/text-of-bytes.ts";
import { textOfHtml } from "../../src/feeds/common/text-of-html.ts";
import { bluesky } from "../../src/feeds/kinds/bluesky.ts";
import { readMail } from "../../src/feeds/kinds/mailbox/read-mail.ts";
import { push } from "../../src/feeds/kinds/push.ts";
import { addressesIn } from "../../src/feeds/kinds/rss/addresses-in-opml.ts";
import { readDocument } from "../../src/feeds/kinds/rss/read-document.ts";
import { UserError } from "../../src/lib/errors.ts";
import { readJson } from "../../src/lib/json.ts";
import { readYaml } from "../../src/lib/read-yaml.ts";
import { compile, lint } from "../../src/listening-api/query-language/compile.ts";
import { readInteraction } from "../../src/monitor/notify/notifiers/slack/interaction.ts";
import { parseRule } from "../../src/monitor/rules/parse-rule.ts";

/** What strangers may send, and the code that reads it. */
export interface FuzzTarget {
  /** Valid input, of which shapes are made. */
  readonly samples: readonly string[];
  /** What its grammar is made of; shapes repeat and nest them. */
  readonly tokens: readonly string[];
  /** As large as the product lets it be, in bytes. */
  readonly mostBytes: number;
  /** Read in a thread that is ended when it is late: there, time is bounded by that. */
  readonly inThread: boolean;
  readonly run: (bytes: Buffer) => unknown;
  /** Errors with which it says what is wrong with the input. */
  readonly refuses?: (error: unknown) => boolean;
}

const isFeedError = (error: unknown): boolean => error instanceof FeedError;
const NOW = Date.UTC(2026, 10, 23, 12);
const XML = [
  "<",
  ">",
  "</",
  "/>",
  "<![CDATA[",
  "]]>",
  "<!--",
  "-->",
  "<?",
  "?>",
  "<!DOCTYPE x [",
  "&lt;",
  "&#",
  ";",
];
const JSON_TOKENS = [
  "[",
  "]",
  "{",
  "}",
  ",",
  ":",
  '"',
  '\\"',
  "\\u",
  "\\ud800",
  "null",
  "1e9",
  "-",
  "0.",
  "true",
  '"":',
];
const URL = "https://a.example/feed";

export const TARGETS: Readonly<Record<string, FuzzTarget>> = {
  rss: {
    samples: [
      "<rss><channel><title>T</title><item><guid>1</guid><title>t</title><author>a@b.cc (Ann)</author><pubDate>Mon, 23 Nov 2026 12:00:00 GMT</pubDate><description><![CDATA[<p>x</p>]]></description></item></channel></rss>",
      '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><title type="html">&lt;b&gt;</title><link href="/x"/><updated>2026-11-23T12:00:00Z</updated></entry></feed>',
    ],
    tokens: [
      ...XML,
      "<item>",
      "</item>",
      "<author>",
      "(",
      "[",
      "a@b.cc ",
      "&amp;",
      "<dc:creator>",
      "xmlns:a=",
      '"',
    ],
    ...{ mostBytes: 5_000_000, inThread: true, refuses: isFeedError },
    run: (bytes) => readDocument(textOfBytes(bytes, "application/xml"), URL),
  },
  "json-feed": {
    samples: [
      '{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","content_html":"<p>x","authors":[{"name":"Ann"}],"date_published":"2026-11-23T12:00:00Z"}]}',
    ],
    tokens: [...JSON_TOKENS, '"items":', '{"id":"1"},'],
    ...{ mostBytes: 5_000_000, inThread: true, refuses: isFeedError },
    run: (bytes) => readDocument(textOfBytes(bytes, "application/feed+json"), URL),
  },
  opml: {
    samples: [
      '<opml><body><outline text="a"><outline xmlUrl="https://a.example/f"/></outline></body></opml>',
    ],
    tokens: [...XML, "<outline ", "xmlUrl=", '"', "'", "&amp;"],
    ...{ mostBytes: 2_000_000, inThread: false, refuses: (error) => error instanceof UserError },
    run: (bytes) => addressesIn(bytes.toString(), "feeds.opml"),
  },
  json: {
    samples: ['{"articles":[{"url":"https://a.example/1","title":"x\ty"}]}'],
    tokens: [...JSON_TOKENS, "\t", "\n", "\\", "\\x"],
    ...{ mostBytes: 5_000_000, inThread: true, refuses: isFeedError },
    run: (bytes) =>
      [false, true].map((isLoose) => readJsonAnswer(textOfBytes(bytes, "application/json"), isLoose)),
  },
  html: {
    samples: ["<p>a<br>b <b>c</b></p><script>x</script><ul><li>1<li>2</ul>&amp;&#x1f600;"],
    tokens: [...XML, "<p>", "<pre>", "<script", "<style>", "&", "&#x", "\n", " ", "<li>", "a", "=", '"'],
    ...{ mostBytes: 1_000_000, inThread: false },
    run: (bytes) => textOfHtml(bytes.toString()),
  },
  mail: {
    samples: [
      'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\na=C3=A9\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>x\r\n--b--\r\n',
      "Content-Type: text/plain; charset=koi8-r\r\nContent-Transfer-Encoding: base64\r\n\r\n8NLJ18XU",
    ],
    tokens: [
      ...[
        "\r\n",
        "--b\r\n",
        "--b--",
        "Content-Type: ",
        "multipart/mixed; boundary=b",
        "message/rfc822",
        "text/html",
      ],
      ...[
        "; ",
        "name*0=",
        "charset=",
        "=?utf-8?Q?",
        "?=",
        "=",
        "=C3",
        "Content-Transfer-Encoding: base64\r\n\r\n",
        " ",
        '"',
        "(",
        "g:",
      ],
    ],
    ...{ mostBytes: 1_000_000, inThread: true },
    run: (bytes) =>
      readMail({
        ...{ source: new Uint8Array(bytes), messageId: null, subject: "s", receivedAt: NOW },
        from: { address: "googlealerts-noreply@google.com", name: "" },
      }),
  },
  robots: {
    samples: [
      "User-agent: *\nDisallow: /a*b$\nAllow: /a\n\nUser-agent: earshot\nUser-agent: x\nCrawl-delay: 1\n",
    ],
    tokens: ["User-agent:", "*", "earshot", "\n", "Disallow:", "Allow:", "/", "a", "$", "%41", "#", " ", "é"],
    ...{ mostBytes: 512_000, inThread: true },
    run: (bytes) => isAllowed(readRobots(bytes), "https://a.example/aaaaaaaaaaaaaaaaaaaa?b=c"),
  },
  yaml: {
    samples: ["a: 1\nb: [x, 'y', \"z\"]\nc: &d {e: *d}\nf: |\n  g\n", "- ? a\n  : b\n"],
    tokens: [
      "a: ",
      "\n",
      "  ",
      "- ",
      "[",
      "]",
      "{",
      "}",
      ",",
      ": ",
      "&a ",
      "*a ",
      "!!x ",
      "|\n",
      ">\n",
      "'",
      '"',
      "? ",
      "#",
      "---\n",
      "0",
    ],
    ...{ mostBytes: 20_000, inThread: false },
    run: (bytes) => readYaml("rules/a.yaml", bytes.toString()),
  },
  rule: {
    samples: [
      "when:\n  all:\n    - sentiment: negative\n    - keyword: [acme, 'a*b']\n    - not: { pattern: 'a{1,3}b' }\nseverity: warning\n",
      "when: { volume: { atLeast: 5, within: 10m } }\n",
    ],
    tokens: [
      "when: ",
      "any: [",
      "all: [",
      "not: ",
      "{",
      "}",
      "]",
      ",",
      "keyword: ",
      "pattern: '",
      "(a{1,9}|",
      ")",
      "'",
      "\n",
      "  ",
      "- ",
      "x",
    ],
    ...{ mostBytes: 20_000, inThread: true },
    run: (bytes) => parseRule("a", "rules/a.yaml", bytes.toString()),
  },
  query: {
    samples: ['(acme OR "acme corp"~3 OR acm*) AND NOT (spam NEAR/3 offer) AND lang:en', "title:(a b) -c"],
    tokens: [
      "(",
      ")",
      '"',
      " OR ",
      " AND ",
      " NOT ",
      " NEAR/3 ",
      "*",
      "?",
      "a",
      "é",
      "中",
      "title:",
      "~",
      "-",
      "\\",
    ],
    ...{ mostBytes: 50_000, inThread: false },
    run: (bytes) => [compile(bytes.toString()), lint(bytes.toString())],
  },
  push: {
    samples: [
      '{"mentions":[{"id":"1","title":"t","html":"<p>x","date":"2026-11-23","url":"https://a.example/"}]}',
    ],
    tokens: [...JSON_TOKENS, '"id":"1"', '{"text":"x"},', '"date":', '"html":"<'],
    ...{ mostBytes: 1_000_000, inThread: false },
    run: (bytes) => push.receive?.(readJson(bytes.toString())),
  },
  stream: {
    samples: [
      '{"did":"did:plc:a","time_us":1795000000000000,"kind":"commit","commit":{"operation":"create","collection":"app.bsky.feed.post","rkey":"1","record":{"text":"x","langs":["en"],"facets":[{"features":[{"uri":"https://a.example"}]}]}}}',
      '{"did":"did:plc:a","account":{"active":false,"status":"deleted"}}',
    ],
    tokens: [...JSON_TOKENS, '"record":', '"features":[', '"did":"did:plc:a"'],
    ...{ mostBytes: 1_000_000, inThread: false },
    run: (bytes) => bluesky.stream?.read(bytes.toString().split("\n"), NOW),
  },
  slack: {
    samples: [
      `payload=${encodeURIComponent('{"type":"block_actions","user":{"id":"U1"},"actions":[{"action_id":"earshot-silence","block_id":"earshot-alert:1","action_ts":"1","selected_option":{"value":"4h"}}]}')}`,
    ],
    tokens: ["payload=", "&", "%", "%22", "%5B", "%7B", "%00", "+", "=", "[", "{", '"', "é"],
    ...{ mostBytes: 512 * 1_024, inThread: false },
    run: (bytes) =>
      readInteraction(readJson(new URLSearchParams(bytes.toString()).get("payload") ?? "") ?? null),
  },
};
