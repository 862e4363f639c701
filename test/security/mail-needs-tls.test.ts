import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  EmailConfig,
  needsTls,
  transportOptions,
} from "../../src/monitor/notify/notifiers/email/email-config.ts";
import { runCommand } from "../cli/run-command.ts";

const MAIL = { kind: "email", to: "ann@brand.example", from: "earshot@brand.example" };
const configFor = (smtp: object): EmailConfig => EmailConfig.parse({ ...MAIL, smtp });

describe("mail", () => {
  it.each(["mail.brand.example", "10.0.0.7", "mail", "192.168.1.1", "2001:db8::1"])(
    "goes to %s by TLS or not at all, without a word in the configuration",
    (host) => {
      expect(needsTls(configFor({ host }).smtp)).toBe(true);
      expect(transportOptions(configFor({ host }))).toMatchObject({ requireTLS: true });
    },
  );

  it.each(["localhost", "127.0.0.1", "127.8.8.8", "::1"])("may stay in clear on this machine: %s", (host) => {
    expect(transportOptions(configFor({ host })).requireTLS).toBe(false);
    expect(transportOptions(configFor({ host, requireTls: true })).requireTLS).toBe(true);
  });

  it("goes in clear elsewhere only where somebody wrote so", () => {
    expect(transportOptions(configFor({ host: "mail", requireTls: false })).requireTLS).toBe(false);
  });
});

const RULES = join(import.meta.dirname, "../../rules");
/** No name of this machine, and nobody takes mail there: so the doctor hears that at once. */
const NETWORK = { host: "0.0.0.0", port: 9 };

describe("earshot check and doctor", () => {
  let folder: string;
  let file: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "earshot-concerns-"));
    file = join(folder, "earshot.yaml");
  });
  afterAll(() => rm(folder, { recursive: true }));
  beforeEach(() => write(NETWORK));

  async function write(smtp: object, password = "b"): Promise<void> {
    const source = { baseUrl: "http://127.0.0.1:9", username: "a", clientId: "c", password };
    const receivers = [{ name: "ann", ...MAIL, smtp }];
    await writeFile(
      file,
      JSON.stringify({ source, receivers, routes: [{ receivers: ["ann"] }], rules: RULES }),
    );
    await chmod(file, 0o600);
  }
  const check = async () => (await runCommand(["check", "--config", file], { PW: "x" })).stdout;
  const doctor = async () => {
    const ran = await runCommand(["doctor", "--json", "--config", file], { PW: "x", EARSHOT_HOME: folder });
    return JSON.parse(ran.stdout) as { what: string; state: string; found: string }[];
  };

  it("say nothing of mail by TLS and secrets that only the owner reads", async () => {
    const said = await check();
    expect(said).toContain("1 receiver, 1 route");
    expect(said).not.toContain("warning:");
    expect((await doctor()).filter(({ state }) => state === "warn")).toEqual([]);
  });

  it("warn where the password and the mails may go in clear", async () => {
    await write({ ...NETWORK, requireTls: false, user: "u", password: "p" });
    const said = "requireTls is false: the password and the mails may cross the network to 0.0.0.0 in clear";
    expect(await check()).toContain(`warning: receiver ann: ${said}\n`);
    expect(await doctor()).toContainEqual(
      expect.objectContaining({ what: "receiver ann", state: "warn", found: said }),
    );
    await write({ host: "127.0.0.1", requireTls: false });
    expect(await check()).not.toContain("warning:");
  });

  it("warn of a configuration with a secret that every user may read, and of secret files", async () => {
    await chmod(file, 0o644);
    const advice = `chmod 600 ${file}`;
    expect(await check()).toContain(advice);
    expect(JSON.stringify(await doctor())).toContain(advice);

    await write({ ...NETWORK, password_file: "smtp" }, "$" + "{PW}");
    await writeFile(join(folder, "smtp"), "p");
    await chmod(join(folder, "smtp"), 0o644);
    await chmod(file, 0o644);
    const said = await check();
    expect(said).toContain(
      `${join(folder, "smtp")} holds a secret, and every user of this machine may read it`,
    );
    expect(said).not.toContain(advice);
  });
});
