import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig, parseConfig } from "../../../src/admin/config/config.ts";
import { kinds } from "../../../src/feeds/kinds/all-kinds.ts";
import { UserError } from "../../../src/lib/errors.ts";
import { DAY, MINUTE } from "../../../src/lib/instant.ts";
import { notifiers } from "../../../src/monitor/notify/notifiers.ts";
import { sourceOf } from "../../../src/monitor/source/source-config.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-config-"));
});
afterAll(() => rm(folder, { recursive: true }));

const KINDS = notifiers.map(({ kind }) => kind).join(", ");
const VALID = `source:
  baseUrl: https://api.example
  username: ann@acme.example
  password: \${SOURCE_PASSWORD}
  clientId: public-client
receivers:
  - name: alerts
    kind: slack
    channel: "#alerts"
    token_file: token.txt
routes:
  - receivers: [alerts]
`;

async function load(text: string, env: NodeJS.ProcessEnv = { SOURCE_PASSWORD: "secret one" }) {
  const file = join(folder, "earshot.yaml");
  await writeFile(file, text);
  await writeFile(join(folder, "token.txt"), "xoxb-secret\n");
  return loadConfig(file, env);
}

async function faultsOf(text: string, env?: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const error = await load(text, env).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof UserError)) throw new Error("a UserError was expected", { cause: error });
  return error.details.map((detail) => detail.replace(folder, ""));
}

test("a short file is enough; secrets come from elsewhere, folders are next to it", async () => {
  const config = await load(VALID);
  expect(config.sources[0]).toMatchObject({
    password: "secret one",
    pollEvery: MINUTE / 2,
    history: 14 * DAY,
  });
  expect(config.receivers).toMatchObject([{ name: "alerts", notifier: { token: "xoxb-secret" } }]);
  expect(config.rules).toBe(join(folder, "rules"));
});

test("every fault is reported at once, with its line and a suggestion", async () => {
  const text = VALID.replace("clientId:", "clientid:")
    .replace("receivers: [alerts]", "receivers: [alert]\n    repeatEvery: often")
    .replace("kind: slack", "kind: slak");
  const faults = await faultsOf(text);
  expect(faults).toEqual([
    expect.stringMatching(/^\/earshot\.yaml:5:3 unknown key "clientid" .* did you mean "clientId"\?$/),
    `/earshot.yaml:8:11 expected one of ${KINDS}, got "slak" — did you mean "slack"?`,
    '/earshot.yaml:13:18 expected a duration such as "4h", or "never"',
  ]);
});

test("a variable that the environment lacks, and a secret that cannot be read, are faults with their line", async () => {
  const faults = await faultsOf(VALID.replace("token.txt", "missing.txt"), {});
  expect(faults).toEqual([
    "/earshot.yaml:4:13 the environment has no variable SOURCE_PASSWORD",
    expect.stringMatching(/^\/earshot\.yaml:10:17 the secret cannot be read from .+: there is no such file/),
  ]);
});

test("a variable that the environment lacks is one fault, whatever its value would have to be", async () => {
  const faults = await faultsOf(VALID.replace("kind: slack", "kind: slack\n    appToken: ${NO_SUCH_TOKEN}"));
  expect(faults).toEqual(["/earshot.yaml:9:15 the environment has no variable NO_SUCH_TOKEN"]);
});

test("keys of a receiver, addresses and zones are reported in words, with a suggestion", async () => {
  const email =
    "kind: email\n    to: on-call\n    from: e@acme.example\n    smtp: { hots: mail }\n    url: x";
  const text = `${VALID.replace(/kind: slack[\s\S]*token.txt/, email)}timezone: Berlin\n`;
  expect(await faultsOf(text.replace("public-client", "12"))).toEqual([
    '/earshot.yaml:5:13 expected text, got 12 — did you mean "12"?',
    '/earshot.yaml:9:9 expected an email address, got "on-call"',
    expect.stringMatching(
      /^\/earshot\.yaml:11:13 unknown key "hots" \(known here: host, .* did you mean "host"\?$/,
    ),
    expect.stringMatching(/^\/earshot\.yaml:12:5 unknown key "url" \(known here: kind, to, from/),
    expect.stringMatching(/^\/earshot\.yaml:15:11 expected the name of a time zone .* got "Berlin"$/),
  ]);
});

test("no fault repeats a secret", async () => {
  const faults = await faultsOf(VALID.replace("https://api.example", "api").replace("clientId", "client"));
  const typed = await faultsOf(VALID.replace(/\$\{.*\}/, "4711"));
  expect(typed).toEqual(["/earshot.yaml:4:13 expected text, got a number"]);
  expect(faults.join("\n")).not.toMatch(/secret one|xoxb-secret/);
});

test.each(["password: short", `password: \${SHORT}`, `username: \${SHORT}, password: 12`])(
  "a login that is no login repeats nothing of it: %s",
  async (login) => {
    const text = `${VALID}web: { login: { ${login} } }\n`;
    const faults = await faultsOf(text, { SOURCE_PASSWORD: "secret one", SHORT: "hunter2" });
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.join("\n")).not.toMatch(/"short"|hunter2|\b12\b/);
  },
);

test("a secret at a wrong place, or in a form that YAML reads otherwise, is not repeated", async () => {
  const env = { SOURCE_PASSWORD: "secret one", HUNTER: "hunter2" };
  for (const line of [
    `timezone: \${HUNTER}`,
    `retention: \${HUNTER}`,
    "web: { login: 'ann:hunter2' }",
    "web: { login: { username: ann, password: *hunter2 } }",
    "web: { login: { username: ann, password: !hunter2 x } }",
    `rotations: [{ name: x, timezone: UTC, receivers: ["\${HUNTER}"] }]`,
  ]) {
    const faults = await faultsOf(`${VALID}${line}\n`, env);
    expect(faults.length, line).toBeGreaterThan(0);
    expect(faults.join("\n"), line).not.toContain("hunter2");
  }
  expect(await faultsOf(`${VALID}timezone: \${HUNTER}\n`, env)).toEqual([
    expect.stringMatching(/ got "\$\{HUNTER\}"$/),
  ]);
});

test.each([
  ["source", "pollEvery: 0s", "expected 100ms to 1d"],
  ["source", "history: 100000w", "expected at most 400d"],
  ["source", "overlap: 2h, lookback: 1h", "overlap is longer than lookback"],
  ["source", "pollEvery: 5", 'expected a duration such as "5m", "1h30m" or "7d", got 5, which has no unit'],
  ["route", "groupWait: 400d", "expected at most 1d"],
  ["route", "forgetAfter: 0s", "expected 1m to 30d"],
  ["route", "match: { severity: high }", 'got "high" — did you mean "critical"?'],
  ["route", "match: { severity: warn }", 'got "warn" — did you mean "warning"?'],
  ["receiver", "throttle: { atMost: 0, per: 1h }", "expected more than 0, got 0"],
  ["receiver", "throttle: { atMost: 3, per: 0s }", "expected 1s to 30d"],
  ["", "retention: 1d", "expected 31d to 36500d"],
  ["", "operator: { lag: 0s }", "expected 1s to 30d"],
  ["", "escalations: [{ name: e, steps: [{ after: 40d, receivers: [alerts] }] }]", "expected at most 7d"],
])("an impossible value in %s is reported: %s", async (place, line, fault) => {
  const at: Record<string, string> = {
    source: VALID.replace(
      "clientId: public-client",
      `clientId: public-client\n  ${line.replace(", ", "\n  ")}`,
    ),
    receiver: VALID.replace("token_file: token.txt", `token_file: token.txt\n    ${line}`),
    route: `${VALID}    ${line}\n`,
    "": `${VALID}${line}\n`,
  };
  const faults = await faultsOf(at[place] ?? "");
  expect(faults).toEqual([expect.stringContaining(fault)]);
  expect(faults[0]).not.toContain("known here: )");
});

test("a key that is unknown in a place without keys names none that would be known", async () => {
  const faults = await faultsOf(`${VALID}    routes: [{ recievers: [alerts] }]\n`);
  expect(faults.join("\n")).toContain('unknown key "recievers"');
  expect(faults.join("\n")).not.toContain("(known here: )");
});

test("what routes name has to be a receiver, and names are there once", async () => {
  const receiver = { name: "alerts", kind: "slack", channel: "#a", token: "t" };
  const source = { baseUrl: "https://api.example", username: "u", password: "p", clientId: "c" };
  const content = { source, receivers: [receiver, receiver], routes: [{ receivers: ["alarts"] }] };
  await expect(parseConfig(content)).rejects.toThrow(
    expect.objectContaining({
      details: expect.arrayContaining([
        'receivers.1.name: there are two receivers "alerts"',
        expect.stringContaining('there is no receiver "alarts"'),
      ]),
    }),
  );
});

test.each([
  ["  - match: {}\n    routes: [{ receivers: [alrets] }]\n", 'there is no receiver "alrets"'],
  ["  - match: {}\n    routes: [{ match: { rule: x } }]\n", '"receivers" is missing'],
  [
    "  - receivers: [alerts]\nescalations: [{ name: e, steps: [{ after: 5m, receivers: [phone] }] }]\n",
    'there is no receiver "phone"',
  ],
  [
    "  - receivers: [alerts]\nescalations: [{ name: e, steps: [{ after: 5m, receivers: [alerts] }, { after: 5m, receivers: [alerts] }] }]\n",
    "a step has to come later",
  ],
  [
    "  - receivers: [alerts]\nescalations: [{ name: e, rounds: 11, steps: [{ after: 5m, receivers: [alerts] }] }]\n",
    "10",
  ],
  [
    "  - receivers: [alerts]\nrotations: [{ name: alerts, timezone: UTC, receivers: [alerts] }]\n",
    "is the name of another rotation or of a receiver",
  ],
  ["  - receivers: [alerts]\nrotations: [{ name: p, timezone: +02:00, receivers: [alerts] }]\n", "time zone"],
  ["  - receivers: [alerts]\ninhibitions: [{ mute: {} }]\n", '"while" is missing'],
  [
    "  - receivers: [alerts]\ndigests: [{ name: d, at: '08:00', timezone: UTC, receivers: [alerts] }, { name: d, at: '09:00', timezone: UTC, receivers: [alerts] }]\n",
    'there are two digests "d"',
  ],
  [
    "  - receivers: [alerts]\ndigests: [{ name: d (Asia/Kolkata), at: '08:00', timezone: UTC, receivers: [alerts] }, { name: d, at: '09:00', timezone: UTC, receivers: [{ name: alerts, timezone: Asia/Kolkata }] }]\n",
    'there are two digests "d (Asia/Kolkata)"',
  ],
  [
    "  - receivers: [alerts]\ndigests: [{ name: d, at: '08:00', timezone: UTC, receivers: [alerts, { name: alerts, timezone: Asia/Kolkata }] }]\n",
    '"alerts" reads it already',
  ],
])("a fault of routing is reported before anything runs: %j", async (routes, fault) => {
  const text = VALID.replace("  - receivers: [alerts]\n", routes);
  expect((await faultsOf(text)).join("\n")).toContain(fault);
});

const LISTENING = `listen:
  queries: [{ name: Acme, text: acme }]
  feeds: [{ kind: hacker-news }]
${VALID.slice(VALID.indexOf("receivers:"))}`;

test("public feeds take the place of a source, which is then our own API", async () => {
  const config = await load(LISTENING);
  expect(config.listen).toMatchObject({ queries: [{ name: "Acme" }], feeds: [{ kind: "hacker-news" }] });
  expect(config.sources[0]).toMatchObject({
    queries: ["Acme"],
    baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1/),
  });
});

test("public feeds stand beside a source", async () => {
  const { sources } = await load(`${VALID}listen: { queries: [{ name: A, text: a }], pollEvery: 7s }\n`);
  expect(sources.map(({ name, pollEvery }) => [name, pollEvery])).toEqual([
    ["account", MINUTE / 2],
    ["feeds", 7_000],
  ]);
  expect(sourceOf(sources, "12")?.name).toBe("account");
  expect(sourceOf(sources, "feeds-12")?.name).toBe("feeds");
  expect(sourceOf(sources.slice(0, 1), "feeds-12")).toBeUndefined();
});

test.each([
  [
    LISTENING.replace("hacker-news", "hackernews"),
    `expected a feed with a kind of ${kinds.map(({ kind }) => kind).join(", ")}, got "hackernews"`,
  ],
  [
    LISTENING.replace("{ kind: hacker-news }", "{ kind: rss }"),
    "name at least one address in urls, or an opml file",
  ],
  [
    LISTENING.replace("{ kind: hacker-news }", "{ kind: rss, url: x }"),
    'unknown key "url" (known here: kind, name, every, allowPrivateAddress, proxy, urls, opml, headers, login, maxMegabytes)',
  ],
  [
    LISTENING.replace("{ kind: hacker-news }", "{ kind: rss, url: x }, { kind: news, for: [Acme, Rival] }"),
    'earshot.yaml:3:60 there is no query "Rival" (there are: Acme)',
  ],
  [
    LISTENING.replace("{ kind: hacker-news }", "{ kind: push, token: short }"),
    "expected at least 16 characters, got 5",
  ],
  [LISTENING.replace("{ kind: hacker-news }", "{ kind: hacker-news, every: 1s }"), "expected 1m to 7d"],
  [LISTENING.replace("text: acme", 'text: "(acme"'), "character 1: "],
  [
    LISTENING.replace("}]\n  feeds", "}, { name: Acme, text: b }]\n  feeds"),
    'there are two with the name "Acme"',
  ],
  [VALID.slice(VALID.indexOf("receivers:")), "name a source (an account), or listen (public feeds)"],
])("a fault of listen is reported: %#", async (text, fault) => {
  expect((await faultsOf(text)).join("\n")).toContain(fault);
});
