import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textOfHtml } from "../../src/feeds/common/text-of-html.ts";
import { bluesky } from "../../src/feeds/kinds/bluesky.ts";
import { readMail } from "../../src/feeds/kinds/mailbox/read-mail.ts";
import { push } from "../../src/feeds/kinds/push.ts";
import { readDocument } from "../../src/feeds/kinds/rss/read-document.ts";
import { planFeeds } from "../../src/feeds/run/plan-feeds.ts";
import { readJsonAnswer } from "../../src/feeds/run/read-json-answer.ts";
import { isAllowed, readRobots } from "../../src/feeds/run/robots.ts";
import { textOfBytes } from "../../src/feeds/run/text-of-bytes.ts";
import { UserError } from "../../src/lib/errors.ts";
import { readJson } from "../../src/lib/json.ts";
import { readYaml } from "../../src/lib/read-yaml.ts";
import { foldText } from "../../src/lib/text.ts";
import { readAccountFile } from "../../src/listening-api/account/account-file.ts";
import { MOST_ACCOUNT_BYTES } from "../../src/listening-api/account/read-account.ts";
import { compile, lint } from "../../src/listening-api/query-language/compile.ts";
import { explainMiss } from "../../src/listening-api/query-language/explain-miss.ts";
import { searchableMention } from "../../src/listening-api/query-language/search-text.ts";
import { splitWords } from "../../src/listening-api/query-language/split-words.ts";
import { storyOf } from "../../src/monitor/model/story.ts";
import { parseRule } from "../../src/monitor/rules/parse-rule.ts";
import {
  greetMailboxClient,
  greetMailClient,
  isFeedError,
  refusesMail,
  sendForm,
  sendHeaders,
  sendToSlackEndpoint,
} from "./server-targets.ts";

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

const isUserError = (error: unknown): boolean => error instanceof UserError;
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
    ...{ mostBytes: 2_000_000, inThread: false, refuses: isUserError },
    run: planOpml,
  },
  account: {
    samples: [
      "clients:\n  - name: Acme\n    projects:\n      - name: Brands\n        queries: [{name: A, text: 'a OR b'}]\n        categories: [{name: T, children: [P, S]}]\n        tags: [x]\nusers:\n  - {username: ann@a.example, clients: {Acme: Admin}}\n",
      '{"clients":[{"name":"A","siteLists":[{"name":"P","domains":["a.example"]}]}],"keepMentionsFrom":"2026-01-01"}',
    ],
    tokens: [
      ...[
        "clients: ",
        "projects: ",
        "queries: ",
        "tags: ",
        "users: ",
        "- name: a\n",
        "{name: a}, ",
        "text: ",
      ],
      ...["\n", "  ", "- ", "[", "]", "{", "}", ",", ": ", "'", '"', "&a ", "*a ", "? ", "x: 1\n", "0"],
    ],
    ...{ mostBytes: MOST_ACCOUNT_BYTES, inThread: false, refuses: isUserError },
    run: (bytes) => readAccountFile("account.yaml", bytes.toString()),
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
  /** What is done on the loop with the text of every mention that anybody writes. */
  mention: {
    samples: ["RT @ann: Acme’s kettle … https://a.example/x #acme \u{1f469}\u200d\u{1f467} ế ﷺ हिन्दी 中文"],
    tokens: [
      ...[
        "\u0592",
        "\u0591",
        "\u0301",
        "\u0316",
        "\u200d",
        "\ufe0f",
        "\u{1f1e6}",
        "\u{1f469}",
        "ﷺ",
        "ß",
        "İ",
        "Σ",
        "ᄀ",
        "क्",
      ],
      ...[
        "中",
        "ก",
        "\u200b",
        "\u202e",
        "RT @a: ",
        "@",
        "#a ",
        "http://",
        "https://a.example/",
        '"',
        "'",
        ".",
        " ",
        "\n",
        "1,",
      ],
    ],
    ...{ mostBytes: 60_000, inThread: false },
    run: (bytes) => {
      const text = bytes.toString();
      return [
        foldText(text),
        splitWords(text),
        storyOf({ resourceId: "1", title: null, text, pageType: null, repostOf: null }),
      ];
    },
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
  explain: {
    samples: [
      '(acme OR "acme corp"~3 OR acm*) AND NOT (spam NEAR/3 offer) AND lang:en\nAcme corp. has an offer: spam of #acme, @acme and 中文',
      '("a b"~9 OR (c NEAR/9 d)) AND title:(e f)\na c b d e f',
    ],
    tokens: [
      ...[
        "(",
        ")",
        '"',
        " OR ",
        " AND ",
        " NOT ",
        " NEAR/3 ",
        "*",
        "a",
        "a b ",
        "é",
        "中",
        "title:",
        "~9",
        "\n",
      ],
      ...["#", "@", "http://a.example/", ". ", "\u{1f600}"],
    ],
    ...{ mostBytes: 50_000, inThread: false },
    run: (bytes) => explain(bytes.toString()),
  },
  push: {
    samples: [
      '{"mentions":[{"id":"1","title":"t","html":"<p>x","date":"2026-11-23","url":"https://a.example/"}]}',
    ],
    tokens: [...JSON_TOKENS, '"id":"1"', '{"text":"x"},', '"date":', '"html":"<'],
    ...{ mostBytes: 1_000_000, inThread: false },
    run: (bytes) => push.receive?.(readJson(bytes.toString()), { id: "push", name: "push", url: null }),
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
    ...{ mostBytes: 256 * 1_024, inThread: false },
    run: (bytes) => sendToSlackEndpoint(bytes.toString()),
  },
  "slack-payload": {
    samples: [
      '{"type":"block_actions","user":{"id":"U1","name":"ann"},"team":{"id":"T1"},"message":{"ts":"1"},"actions":[{"action_id":"earshot-silence","block_id":"earshot-alert:0198a7f0-0000-7000-8000-000000000000","action_ts":"1","selected_option":{"value":"4h"}}]}',
    ],
    tokens: [...JSON_TOKENS, '"actions":[', '"selected_option":', '"user":', "+", "%2B", "&payload="],
    ...{ mostBytes: 256 * 1_024, inThread: false },
    run: (bytes) => sendToSlackEndpoint(`payload=${encodeURIComponent(bytes.toString())}`),
  },
  headers: {
    samples: [
      "__Host-earshot=a%3Bb; earshot=abc;def; earshot-device=x",
      "Basic YW5uOmE=",
      "text/html, application/json;q=0.9, */*;q=0.1",
      "127.0.0.1, ::ffff:10.0.0.1",
    ],
    tokens: [
      ...[
        "; ",
        "=",
        ",",
        " ",
        "%",
        "%3B",
        '"',
        ";q=0.1",
        "Basic ",
        "earshot=",
        "/",
        "*",
        "gzip",
        "127.0.0.1",
      ],
      ...["::", "[", "]", "a", "é", "\t", "bytes=0-", "W/", "multipart/form-data; boundary="],
    ],
    // Of all headers together; what is more is refused by Node itself.
    ...{ mostBytes: 15_000, inThread: false },
    run: sendHeaders,
  },
  forms: {
    samples: [
      "token=a&query=Acme&severity=below-warning&length=4h&days=mon&days=tue&from=08%3A00&to=24:00&label=author%3Dbot*",
      "title=T&keyword=a,+b&sentiment=negative&sentiment=neutral&counts=spike&atLeast=5&within=10m",
    ],
    tokens: [
      ...[
        "&",
        "=",
        "%",
        "%00",
        "%C3%28",
        "+",
        ",",
        "days=",
        "label=",
        "a",
        "é",
        "%3D",
        "[",
        "]",
        "__proto__=",
      ],
      ...["length=", "9".repeat(40), "timezone="],
    ],
    ...{ mostBytes: 500_000, inThread: false },
    run: sendForm,
  },
  "smtp-greeting": {
    samples: ["220 a ESMTP\r\n250-a\r\n250-AUTH PLAIN LOGIN\r\n250 SIZE 1\r\n235 ok\r\n", "554 5.7.1 no\r\n"],
    tokens: [
      "220 ",
      "220-",
      "250-",
      "250 ",
      "535 ",
      "5.7.1 ",
      "\r\n",
      "\n",
      " ",
      "AUTH ",
      "SIZE 9",
      "a",
      "-",
      "é",
      "\0",
    ],
    ...{ mostBytes: 1_000_000, inThread: false, refuses: refusesMail },
    run: greetMailClient,
  },
  "imap-greeting": {
    samples: [
      "* OK [CAPABILITY IMAP4rev1] ready\r\n* CAPABILITY IMAP4rev1\r\n1 OK done\r\n2 OK done\r\n",
      "* BYE later\r\n",
      '* PREAUTH [ALERT] x\r\n* LIST (\\A) "/" {3}\r\nabc\r\n',
    ],
    tokens: [
      ...[
        "* ",
        "OK ",
        "NO ",
        "BYE ",
        "[",
        "]",
        "(",
        ")",
        "\r\n",
        "{3}\r\n",
        "{",
        "}",
        '"',
        "\\",
        " ",
        "NIL ",
        "1 ",
      ],
      ...["CAPABILITY ", "A", "é", "\0", "<0>", "~"],
    ],
    ...{ mostBytes: 1_000_000, inThread: false, refuses: isFeedError },
    run: greetMailboxClient,
  },
};

/** As the configuration names it. */
function planOpml(bytes: Buffer): unknown {
  const opml = join(tmpdir(), `earshot-fuzz-${process.pid}.opml`);
  writeFileSync(opml, bytes);
  try {
    return planFeeds({ feeds: [{ kind: "rss", urls: [], opml, allowPrivateAddress: false }], queries: [] });
  } finally {
    rmSync(opml);
  }
}

/** The first line is a query; what follows, or else a sentence, is the text that it is asked about. */
function explain(input: string): unknown {
  const end = input.indexOf("\n");
  const [query, text] =
    end < 0 ? [input, "Acme corp has a b c"] : [input.slice(0, end), input.slice(end + 1)];
  const mention = searchableMention({ title: "e", language: "en" }, text);
  return [query, 'acme AND ("x y"~9 OR (a NEAR/9 zz) OR xy*) AND NOT a'].map((one) => {
    const compiled = compile(one);
    return compiled.ok ? explainMiss(compiled.query, mention) : null;
  });
}
