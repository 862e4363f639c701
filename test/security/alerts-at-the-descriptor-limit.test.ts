import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { createClosing } from "../../src/lib/closing.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import { bundleEarshot, mainOf } from "../cli/run-earshot.ts";
import { startFakeWebServer } from "../fakes/web-server.ts";
import { createTestDatabase } from "../postgres.ts";
import { until } from "../until.ts";
import { type Held, holdMany, holdOpen, letGo, portOf } from "./hold-open.ts";

/** As many systems have it. */
const DESCRIPTORS = 1_024;
/** More than the process has descriptors. */
const HELD = 1_375;
const ALERTS = 6;
const TOKEN = "token-of-a-script";
const HALF_A_LOGIN = [
  "POST /login HTTP/1.1",
  "Host: localhost",
  "Content-Type: application/x-www-form-urlencoded",
  "Content-Length: 9000",
  "",
  "u",
].join("\r\n");

const closing = createClosing();
afterAll(() => closing.close());

test(
  `alerts are delivered while ${HELD} half requests are held against a process of ${DESCRIPTORS} descriptors`,
  async () => {
    const webhook = await startFakeWebServer();
    closing.add(webhook.close);
    const earshot = await start(webhook.url);
    const url = earshot.url();
    const hold = await keepHolding(portOf(url));
    try {
      for (let n = 0; n < ALERTS; n++) {
        const texts = JSON.stringify({ text: `acme has a leak, number ${n}`, author: `ann-${n}` });
        await until("a push is taken", () => push(url, texts), { withinMs: MINUTE, everyMs: 200 });
      }
      const bodies = () => webhook.requests.map(({ body }) => body).join("\n");
      const arrived = () => Array.from({ length: ALERTS }, (_, n) => `number ${n}`);
      await until("all alerts arrived", () => arrived().every((text) => bodies().includes(text)), {
        withinMs: 2 * MINUTE,
        everyMs: 200,
      });
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect(hold.held()).toBeGreaterThan(HELD / 2);
      expect(earshot.output()).not.toContain("EMFILE");
    } finally {
      hold.stop();
    }
  },
  6 * MINUTE,
);

async function push(url: string, body: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${TOKEN}`, connection: "close" };
  return fetch(`${url}/feeds/push`, { method: "POST", headers, body }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** The program with all its parts in one process, which is the harder case, in a shell that gives it few descriptors. */
async function start(webhookUrl: string) {
  const bundle = await bundleEarshot();
  closing.add(bundle.remove);
  const folder = await mkdtemp(join(tmpdir(), "earshot-descriptors-"));
  closing.add(() => rm(folder, { recursive: true, force: true }));
  const database = await createTestDatabase();
  closing.add(database.drop);
  await mkdir(join(folder, "rules"));
  await writeFile(
    join(folder, "rules", "leak.yaml"),
    'title: A leak\ndescription: Somebody writes of a leak.\nseverity: warning\nqueries: ["*"]\ngroupBy: author\nwhen:\n  keyword: leak\n',
  );
  await writeFile(
    join(folder, "earshot.yaml"),
    `listen:
  queries:
    - { name: acme, text: acme }
  feeds:
    - { kind: push, token: ${TOKEN} }
receivers:
  - { name: hook, kind: webhook, url: "${webhookUrl}", allowPrivateAddress: true }
routes:
  - { name: all, receivers: [hook] }
web:
  login: { username: team, password: correct horse battery }
`,
  );
  const { PATH = "", HOME = "" } = process.env;
  const command = `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`;
  const words = ["-c", command, process.execPath, mainOf(bundle), "start", "--port", "0", "--one-process"];
  const env = { PATH, HOME, DATABASE_URL: database.url, EARSHOT_HOME: join(folder, ".earshot") };
  const child = spawn("bash", words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => {
      output += text;
    });
  const ended = once(child, "exit");
  closing.add(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const url = () => /"url":"([^"]+)","msg":"the page is open"/.exec(output)?.[1] ?? "";
  await until("it says where the console is", () => url() !== "" || child.exitCode !== null, {
    withinMs: 2 * MINUTE,
  });
  expect(url(), output).not.toBe("");
  return { url, output: () => output };
}

/** Opens a half request for each that the process ends. */
async function keepHolding(port: number) {
  let open: Held[] = [...(await holdMany(port, HALF_A_LOGIN, HELD))];
  const stopping = new AbortController();
  const gone = new Set<Held>();
  const watch = (one: Held) => void one.gone.then(() => gone.add(one));
  open.forEach(watch);
  const refilling = (async () => {
    while (!stopping.signal.aborted) {
      letGo([...gone]);
      const fresh = [...gone].map(() => holdOpen(port, HALF_A_LOGIN));
      fresh.forEach(watch);
      open = [...open.filter((one) => !gone.has(one)), ...fresh];
      gone.clear();
      await delay(250, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    held: () => open.length,
    stop: () => {
      stopping.abort();
      letGo(open);
      return refilling;
    },
  };
}
