import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../cli/run-command.ts";
import { CERTIFICATE, CERTIFICATE_KEY } from "../fakes/certificate.ts";

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-https-"));
  file = join(folder, "earshot.yaml");
  await writeFile(join(folder, "cert.pem"), CERTIFICATE);
  await writeFile(join(folder, "key.pem"), CERTIFICATE_KEY, { mode: 0o600 });
});
afterAll(() => rm(folder, { recursive: true }));

const LOGIN = { username: "team", password: "correct horse" };

async function check(web: object): Promise<string> {
  const config = {
    source: { baseUrl: "http://127.0.0.1:9", username: "a", password: "b", clientId: "c" },
    receivers: [{ name: "desk", kind: "webhook", url: "https://desk.example/hook" }],
    routes: [{ receivers: ["desk"] }],
    rules: join(import.meta.dirname, "../../rules"),
    web: { login: LOGIN, ...web },
  };
  await writeFile(file, JSON.stringify(config));
  await chmod(file, 0o600);
  return (await runCommand(["check", "--config", file], {})).stdout;
}

const TLS = { cert: "cert.pem", key: "key.pem" };

test.each([
  [{ host: "0.0.0.0" }],
  [{ host: "::", publicUrl: "http://earshot.example" }],
  // A proxy on this machine that speaks plain http to the world.
  [{ host: "127.0.0.1", publicUrl: "http://earshot.example" }],
])("check warns of a login that crosses a network in clear: %o", async (web) => {
  expect(await check(web)).toContain("warning: page: logins cross the network in clear");
});

test.each([
  [{ host: "127.0.0.1" }],
  [{ host: "0.0.0.0", tls: TLS }],
  [{ host: "0.0.0.0", publicUrl: "https://earshot.example" }],
  [{ host: "localhost", publicUrl: "http://localhost:8080" }],
])("check says nothing of one that does not: %o", async (web) => {
  expect(await check(web)).not.toContain("warning:");
});

test("the doctor warns as well", async () => {
  await check({ host: "0.0.0.0" });
  const ran = await runCommand(["doctor", "--json", "--config", file], { EARSHOT_HOME: folder });
  expect(JSON.parse(ran.stdout)).toContainEqual(expect.objectContaining({ what: "page", state: "warn" }));
});

test("check warns of a key that every user of the machine may read", async () => {
  await chmod(join(folder, "key.pem"), 0o644);
  expect(await check({ host: "0.0.0.0", tls: TLS })).toContain(`chmod 600 ${join(folder, "key.pem")}`);
  await chmod(join(folder, "key.pem"), 0o600);
});
