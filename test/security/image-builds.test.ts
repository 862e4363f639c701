import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { parseConfig } from "../../src/admin/config/config.ts";
import { useStores } from "../use-stores.ts";

const ROOT = join(import.meta.dirname, "../..");
const { url } = await useStores({ onError: () => {} });

interface Instruction {
  readonly word: string;
  readonly rest: string;
}

interface Stage {
  readonly name: string;
  readonly steps: readonly Instruction[];
}

/** The Dockerfile's instructions, by stage; a comment or a line that goes on is no instruction of its own. */
function stagesOf(text: string): Stage[] {
  const lines = text.replaceAll(/^#.*\n/gm, "").replaceAll(/\\\n\s*/g, " ");
  return lines
    .split(/^FROM /m)
    .slice(1)
    .map((part) => {
      const [from = "", ...rest] = part.split("\n").filter((line) => line.trim() !== "");
      const steps = rest.map((line) => {
        const [, word = "", tail = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
        return { word, rest: tail };
      });
      return { name: / AS (\S+)$/.exec(from)?.[1] ?? "image", steps };
    });
}

const KNOWN = ["WORKDIR", "COPY", "RUN", "ENV", "USER", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"];
const stages = stagesOf(await readFile(join(ROOT, "Dockerfile"), "utf8"));
const last = stages.at(-1)?.steps ?? [];
const lastOf = (word: string): string => last.findLast((step) => step.word === word)?.rest ?? "";

let folder = "";
let child: ChildProcess | undefined;
afterAll(async () => {
  child?.kill("SIGKILL");
  if (folder !== "") await rm(folder, { recursive: true, force: true });
});

it("its steps, run one by one in empty folders, give an installation without tools of development that starts", async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-image-"));
  for (const stage of stages) await build(stage);
  const image = join(folder, "image");
  const lock = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8"));
  const tools = Object.entries<{ dev?: boolean }>(lock.packages).filter(([, { dev }]) => dev === true);
  expect(tools.length).toBeGreaterThan(20);
  expect(tools.filter(([path]) => existsSync(join(image, path)))).toEqual([]);

  const port = await freePort();
  await writeFile(join(image, "earshot.yaml"), configuration(port));
  const [command = "", ...words] = JSON.parse(lastOf("ENTRYPOINT"));
  const said: string[] = [];
  child = spawn(command, [...words, ...JSON.parse(lastOf("CMD")), "--roles", "web"], {
    cwd: image,
    env: { ...environment(), NODE_ENV: "production", DATABASE_URL: url },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => said.push(String(text)));
  const ended = new Promise<number | null>((resolve) => child?.on("exit", resolve));
  const listens = new Promise<void>((resolve) => {
    child?.stderr?.on("data", () => said.join("").includes(String(port)) && resolve());
    child?.stdout?.on("data", () => said.join("").includes(String(port)) && resolve());
  });
  await Promise.race([
    listens,
    ended.then((code) => {
      throw new Error(`it ended with ${code}: ${said.join("")}`);
    }),
  ]);
  // The health check of the image, at the port of this test.
  const [check = "", ...parts] = JSON.parse(/CMD (\[.*\])/.exec(lastOf("HEALTHCHECK"))?.[1] ?? "[]");
  const asked = parts.map((part: string) => part.replace(":8080/", `:${port}/`));
  await promisify(execFile)(check, asked, { cwd: image });
  const { stdout } = await promisify(execFile)(command, [...words, "check"], {
    cwd: image,
    env: environment(),
  });
  expect(stdout).toContain("earshot.yaml: valid");
  child.kill("SIGTERM");
  expect(await ended, said.join("")).toBe(0);
}, 600_000);

it("what it exposes and asks is where the console listens", async () => {
  const config = await parseConfig({
    source: { baseUrl: "http://127.0.0.1:9", username: "a", password: "b", clientId: "c" },
    receivers: [{ name: "a", kind: "webhook", url: "https://a.example" }],
    routes: [{ receivers: ["a"] }],
  });
  expect(lastOf("EXPOSE")).toBe(String(config.web.port));
  expect(lastOf("HEALTHCHECK")).toContain(`127.0.0.1:${config.web.port}/healthz`);
});

/** Does in a folder of the stage's own what its instructions say. */
async function build({ name, steps }: Stage): Promise<void> {
  const place = join(folder, name);
  await mkdir(place);
  for (const { word, rest } of steps) {
    expect(KNOWN).toContain(word);
    if (word === "WORKDIR") expect(rest).toBe("/app");
    if (word === "RUN") await promisify(execFile)("sh", ["-ec", rest], { cwd: place, env: environment() });
    if (word === "COPY") await copy(rest, place);
  }
}

async function copy(rest: string, place: string): Promise<void> {
  const from = /^--from=(\S+) /.exec(rest)?.[1];
  const words = rest.replace(/^--from=\S+ /, "").split(" ");
  const to = join(place, words.pop() ?? "");
  for (const source of words) {
    const origin =
      from === undefined ? join(ROOT, source) : join(folder, from, source.replace(/^\/app\//, ""));
    // Several sources, or a place that is there, are copied into a folder; one folder becomes the place itself.
    const target = rest.endsWith("./") ? join(to, basename(source)) : to;
    await mkdir(dirname(target), { recursive: true });
    await cp(origin, target, { recursive: true, verbatimSymlinks: true });
  }
}

/** Its own cache, for one of the steps empties it. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([key]) =>
    /^(?:PATH|HOME|https?_proxy|no_proxy|npm_config_registry|NODE_EXTRA_CA_CERTS)$/i.test(key),
  );
  return { ...Object.fromEntries(kept), npm_config_cache: join(folder, "npm"), npm_config_audit: "false" };
}

function configuration(port: number): string {
  return JSON.stringify({
    source: { baseUrl: "http://127.0.0.1:9", username: "a", password: "b", clientId: "c" },
    receivers: [{ name: "a", kind: "webhook", url: "https://a.example" }],
    routes: [{ receivers: ["a"] }],
    web: { port },
  });
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
