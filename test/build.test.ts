import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { bundle, EXTERNAL } from "../.build.js";
import { bundleEntries } from "./bundle.ts";
import { startFakeSlack } from "./fakes/slack.ts";
import { createTestDatabase } from "./postgres.ts";
import { until } from "./until.ts";

const ROOT = join(import.meta.dirname, "..");
const WORKERS = readdirSync(join(ROOT, "workers"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => `workers/${file}`);

let fileOf: (entry: string) => string;
beforeAll(async () => {
  fileOf = (await bundleEntries(["src/cli/main.ts"])).file;
});

test.each(["src/cli/main.ts", ...WORKERS])(
  "a stack trace of %s names lines of the sources",
  async (entry) => {
    // Printed where the environment is read, which each of them does first.
    const trap = `process.env = new Proxy(process.env, { get(env, key) {
    if (key === "EARSHOT_HOME") { console.log(new Error("trap").stack); process.exit(); }
    return env[key];
  } });`;
    const words = ["--import", `data:text/javascript,${encodeURIComponent(trap)}`, fileOf(entry)];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    expect(stdout).toMatch(/\/src\/admin\/config\/environment\.ts:\d+:\d+/);
    if (entry !== "src/cli/main.ts") expect(stdout).toMatch(/\/src\/app\/run-worker\.ts:\d+:\d+/);
    expect(stdout).not.toContain("dist/chunks");
  },
);

test("what only some use is not read at the start of a worker", async () => {
  const { inputs } = await bundle(["src/app/run-worker.ts"], ROOT, { write: false });
  const read = new Set(["src/app/run-worker.ts"]);
  for (const file of read)
    for (const { path, kind } of inputs[file]?.imports ?? []) if (kind !== "dynamic-import") read.add(path);
  expect(read).toContain("src/admin/config/config-file.ts");
  const onDemand =
    /^src\/(?:feeds\/kinds\/rss|console\/(?:auth|pages|parts|\w+-routes))|node_modules\/(?:feedsmith|tldts|nodemailer|stopword|zod\/v4\/locales\/de)/;
  expect([...read].filter((file) => onDemand.test(file))).toEqual([]);
}, 60_000);

test("of packages only what is used is built in", async () => {
  const { inputs } = await bundle(["src/monitor/source/transport.ts", "src/lib/json-schema.ts"], ROOT, {
    write: false,
  });
  const files = Object.keys(inputs);
  expect(files).toEqual(
    expect.arrayContaining([expect.stringMatching(/undici\/lib\/dispatcher\/pool\.js$/)]),
  );
  const inVain =
    /undici\/lib\/(?:web\/(?:fetch\/index|websocket|cache|eventsource)|mock)|zod\/v4\/locales\/(?!en\.)/;
  expect(files.filter((file) => inVain.test(file))).toEqual([]);
}, 60_000);

test("what is built connects to PostgreSQL without the fetch of Node", async () => {
  const fixture = "test/fixtures/ping-database.ts";
  const [built, database] = [await bundleEntries([fixture]), await createTestDatabase()];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [built.file(fixture), database.url]);
    expect(stdout.trim().split("\n")).toEqual(["the database answers"]);
  } finally {
    await database.drop();
    await built.remove();
  }
}, 60_000);

test("what is built opens Slack's socket for buttons", async () => {
  const slack = await startFakeSlack();
  const fixture = "test/fixtures/slack-socket.ts";
  const built = await bundleEntries([fixture]);
  const child = spawn(process.execPath, [built.file(fixture), slack.apiUrl, slack.appToken], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  try {
    await until("the socket is open", () => slack.sockets.count() === 1, { withinMs: 15_000 });
    slack.sockets.send({ type: "interactive", envelope_id: "e-1", payload: {} });
    await until("the click is answered", () => slack.sockets.answered.length === 1, { withinMs: 5_000 });
  } finally {
    child.kill("SIGKILL");
    await slack.close();
    await built.remove();
  }
});

test("what is built serves every page, also those with forms, which set a cookie", async () => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-build-"));
  const database = await createTestDatabase();
  await writeFile(
    join(folder, "earshot.yaml"),
    `source: { baseUrl: "http://127.0.0.1:9", username: a, password: b, clientId: c }
receivers: [{ name: hook, kind: webhook, url: "http://127.0.0.1:9/x", allowPrivateAddress: true }]
routes: [{ receivers: [hook] }]
rules: ${ROOT}/rules
web: { port: 0, login: { username: ann, password: correct horse } }
`,
  );
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [fileOf("src/cli/main.ts"), "start"], {
    cwd: folder,
    env: { PATH, HOME, DATABASE_URL: database.url, EARSHOT_HOME: folder, LOG_LEVEL: "info" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let said = "";
      const hear = (text: Buffer): void => {
        said += text;
        const [, address] = /"url":"([^"]+)","msg":"the page is open"/.exec(said) ?? [];
        if (address !== undefined) resolve(address);
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.once("exit", () => reject(new Error(`it ended: ${said}`)));
    });
    const login = await fetch(`${url}/login`);
    expect([login.status, login.headers.get("set-cookie")]).toEqual([200, expect.stringContaining("=")]);
    const [, token] = /name="token" value="([^"]+)"/.exec(await login.text()) ?? [];
    const cookie = cookiesOf(login);
    const entered = await fetch(`${url}/login`, {
      method: "POST",
      redirect: "manual",
      headers: { cookie, origin: url },
      body: new URLSearchParams({ token: token ?? "", username: "ann", password: "correct horse" }),
    });
    expect([entered.status, entered.headers.get("set-cookie")]).toEqual([303, expect.stringContaining("=")]);
    const headers = { cookie: `${cookiesOf(entered)}; ${cookie}` };
    const pages = ["/", "/alerts", "/mentions", "/health", "/silences", "/preview"];
    const statuses = await Promise.all(
      pages.map(async (page) => [
        page,
        (await fetch(`${url}${page}`, { headers, redirect: "manual" })).status,
      ]),
    );
    expect(statuses).toEqual(pages.map((page) => [page, 200]));
  } finally {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    await database.drop();
    await rm(folder, { recursive: true });
  }
});

function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

test("no package with machine code is bundled: it would not find its own files", async () => {
  const { inputs } = await bundle(["src/cli/main.ts"], join(ROOT, "dist"), { write: false });
  const folders = Object.keys(inputs).flatMap(
    (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [],
  );
  const packages = [...new Set(folders)];
  expect(packages.length).toBeGreaterThan(50);
  const withCode = packages.filter((folder) =>
    readdirSync(join(ROOT, folder)).some((file) => /^(binding\.gyp|prebuilds)$|\.node$/.test(file)),
  );
  expect(withCode, `to be added to EXTERNAL in .build.js, beside ${EXTERNAL.join(", ")}`).toEqual([]);
});
