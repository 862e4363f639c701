import { createVerify, generateKeyPairSync } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Notifier } from "../../../../src/monitor/notify/define-notifier.ts";
import { notificationIn } from "../../../../src/monitor/notify/notifiers/email/compose-email.ts";
import { email } from "../../../../src/monitor/notify/notifiers/email.ts";
import { cleanLine } from "../../../../src/monitor/templates/escape.ts";
import { alertMessage, digestMessage, notifierDeps, testNotifier } from "../../../contracts/notifier.ts";
import { closedPort, type FakeSmtp, type SmtpFault, startFakeSmtp } from "../../../fakes/smtp.ts";
import { attacks } from "../../../fixtures/attacks.ts";

const PASSWORD = "very-secret-password";

testNotifier("email", async (deps) => {
  const fake = await startFakeSmtp();
  const fails = (at: SmtpFault["at"], code: number, retryable: boolean) => ({
    name: `${code} at ${at}`,
    arrange: () => void fake.faults.push({ at, code, text: `no, not with ${PASSWORD}` }),
    retryable,
    says: new RegExp(String(code)),
  });
  return {
    notifier: email.create(configOf(fake), deps),
    received: async () => fake.mails,
    secrets: [PASSWORD, Buffer.from(PASSWORD).toString("base64")],
    close: () => fake.close(),
    failures: [
      fails("login", 535, false),
      fails("login", 454, true),
      fails("mail", 451, true),
      fails("mail", 553, false),
      fails("rcpt", 450, true),
      fails("rcpt", 550, false),
      fails("data", 452, true),
      fails("data", 552, false),
      fails("data", 554, false),
      {
        name: "an answer that never came",
        arrange: () => {
          fake.breakAfterData = true;
        },
        retryable: true,
      },
    ],
  };
});

describe("a mail", () => {
  let fake: FakeSmtp;
  let notifier: Notifier;
  const options = () => ({ signal: AbortSignal.timeout(10_000) });
  beforeEach(async () => {
    fake = await startFakeSmtp();
    notifier = email.create(configOf(fake), await notifierDeps());
  });
  afterEach(() => fake.close());

  it.each([
    ["info@bücher.example", "info@xn--bcher-kva.example"],
    ["o'brien+x@sub.example.org", "o'brien+x@sub.example.org"],
    ["Ann <ann@example.org>", null],
    ["müller@example.org", null],
    ["ann@example.org\r\nBcc: bo@example.org", null],
    ["ann@", null],
  ])("to %j goes to %j", (to, expected) => {
    const read = email.config.safeParse({ kind: "email", to, from: to, smtp: { host: "mail.example" } });
    expect(read.data?.to ?? null).toBe(expected);
    expect(read.data?.from ?? null).toBe(expected);
  });

  it("has the same Message-ID on every try, and another for another notification", async () => {
    const first = await notifier.send(alertMessage(), options());
    const second = await notifier.send(alertMessage({ attempt: 2 }), options());
    const other = await notifier.send(alertMessage({ notificationId: "n-2" }), options());
    expect(second.vendorRef).toEqual(first.vendorRef);
    expect(other.vendorRef).not.toEqual(first.vendorRef);
    expect(fake.mails[0]?.parsed.messageId).toBe(first.vendorRef["messageId"]);
  });

  it("about one alert is in one thread", async () => {
    const { vendorRef } = await notifier.send(alertMessage(), options());
    await notifier.send(
      alertMessage({ notificationId: "n-2", kind: "reminder", previous: vendorRef }),
      options(),
    );
    const [first, second] = fake.mails.map(({ parsed }) => parsed);
    expect(second?.inReplyTo).toBe(first?.messageId);
    // The root of the thread is a mail that the reader has.
    expect([second?.references].flat()).toEqual([first?.messageId]);
    expect(first?.inReplyTo).toBeUndefined();
    expect(first?.references).toBeUndefined();
    expect(second?.subject).toBe(first?.subject);
  });

  it("has its own severity in the subject: a rise begins another thread in Gmail", async () => {
    const { view } = alertMessage();
    const first = alertMessage({ view: { ...view, severity: "warning" } });
    const { vendorRef } = await notifier.send(first, options());
    const risen = { notificationId: "n-2", kind: "escalated", previous: vendorRef } as const;
    await notifier.send(alertMessage({ ...risen, view: { ...view, kind: "escalated" } }), options());
    const [mail, answer] = fake.mails.map(({ parsed }) => parsed);
    const text =
      "Northwind: “Northwind cancelled my flight and nobody answers the phone”, 62 negative mentions in 30 min";
    expect([mail?.subject, answer?.subject]).toEqual([`[WARNING] ${text}`, `[CRITICAL] ${text}`]);
    expect(answer?.text).toMatch(/^NOW CRITICAL, Northwind/);
  });

  it("has a text part first, an HTML part last, the time of the clock, and says that a machine wrote it", async () => {
    await notifier.send(alertMessage(), options());
    await notifier.send(digestMessage(), options());
    const [alert, digest] = fake.mails;
    expect(alert?.raw.indexOf("text/plain")).toBeLessThan(alert?.raw.indexOf("text/html") ?? 0);
    expect(alert?.parsed.date?.toISOString()).toBe("2026-02-23T16:40:00.000Z");
    expect(alert?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(alert?.raw).toMatch(/^List-ID: <alerts\.earshot\.example\.com>\r$/im);
    expect(digest?.raw).toMatch(/^List-ID: <digests\.earshot\.example\.com>\r$/im);
    expect(alert?.to).toEqual(["duty@example.org"]);
  });

  it("of a digest can be unsubscribed from with one click, if the console is reached over https", async () => {
    const { view } = digestMessage();
    await notifier.send(digestMessage(), options());
    await notifier.send(
      digestMessage({ view: { ...view, unsubscribeUrl: "http://127.0.0.1:8080/unsubscribe/x" } }),
      options(),
    );
    await notifier.send(digestMessage({ view: { ...view, unsubscribeUrl: null } }), options());
    await notifier.send(alertMessage(), options());
    const [https, http, none, alert] = fake.mails.map(({ raw }) => raw);
    expect(https).toMatch(/^List-Unsubscribe: <https:\/\/earshot\.example\/unsubscribe\/sample>\r$/m);
    expect(https).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
    expect(http).toMatch(/^List-Unsubscribe: <http:/m);
    for (const raw of [http, none, alert]) expect(raw).not.toMatch(/List-Unsubscribe-Post/i);
    for (const raw of [none, alert]) expect(raw).not.toMatch(/List-Unsubscribe/i);
  });

  it("is signed when a key is configured, both headers of the one click included", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    const signing = email.create(
      { ...configOf(fake), dkim: { domain: "example.com", selector: "s1", privateKey } },
      await notifierDeps(),
    );
    await signing.send(digestMessage(), options());
    const raw = fake.mails[0]?.raw ?? "";
    const signature = /^DKIM-Signature:[^\r]*(?:\r\n[ \t][^\r]*)*/im.exec(raw)?.[0] ?? "";
    const tag = (name: string) =>
      new RegExp(`\\b${name}=([^;]*)`).exec(signature.replaceAll(/\s+/g, ""))?.[1] ?? "";
    expect(tag("d")).toBe("example.com");
    expect(tag("s")).toBe("s1");
    expect(tag("h").toLowerCase().split(":")).toEqual(
      expect.arrayContaining(["from", "subject", "list-unsubscribe", "list-unsubscribe-post"]),
    );
    expect(verifyDkim(raw, signature, tag, publicKey)).toBe(true);
  });

  it("goes over a connection that stays open, if configured", async () => {
    const config = configOf(fake);
    const pooled = email.create(
      { ...config, smtp: { ...config.smtp, connections: 1 } },
      await notifierDeps(),
    );
    await pooled.send(alertMessage(), options());
    await pooled.send(alertMessage({ notificationId: "n-2" }), options());
    expect(fake.mails).toHaveLength(2);
    expect(fake.connections).toBe(1);
    fake.breakAfterData = true;
    const broken = pooled.send(alertMessage({ notificationId: "n-3" }), options());
    await expect(broken).rejects.toMatchObject({ retryable: true });
    await pooled.close();
    // The pool itself repeats nothing.
    expect(fake.mails).toHaveLength(3);
  });

  it("is not sent in clear if TLS is required", async () => {
    const config = configOf(fake);
    const strict = email.create(
      { ...config, smtp: { ...config.smtp, requireTls: true } },
      await notifierDeps(),
    );
    await expect(strict.send(alertMessage(), options())).rejects.toMatchObject({
      message: expect.stringMatching(/TLS/),
    });
    expect(fake.mails).toEqual([]);
  });

  it("names the address for late bounces, in the envelope only", async () => {
    const bouncing = email.create(
      { ...configOf(fake), bouncesTo: "bounces@example.com" },
      await notifierDeps(),
    );
    await bouncing.send(alertMessage(), options());
    expect(fake.mails[0]).toMatchObject({ from: "bounces@example.com", to: ["duty@example.org"] });
    expect(fake.mails[0]?.parsed.from?.text).toContain("earshot@example.com");
  });

  it("has a return path of its own when that is configured, and the same on every try", async () => {
    const notificationId = "019c8b5a-1d3c-7f00-8000-0123456789ab";
    const own = email.create(
      { ...configOf(fake), bouncesTo: "bounces+{id}@example.com" },
      await notifierDeps(),
    );
    for (const attempt of [1, 2]) await own.send(alertMessage({ notificationId, attempt }), options());
    expect(fake.mails.map(({ from }) => from)).toEqual(
      Array(2).fill("bounces+019c8b5a1d3c7f0080000123456789ab@example.com"),
    );
    expect(notificationIn(fake.mails[0]?.from ?? "")).toBe(notificationId);
    for (const other of ["bounces@example.com", "x".repeat(40), `a${"0".repeat(32)}@example.com`])
      expect(notificationIn(other)).toBeNull();
  });

  it.each(["bounces", "a b@example.com", `${"long".repeat(9)}{id}@example.com`])(
    "cannot have the return path %s",
    (bouncesTo) => {
      expect(email.config.safeParse({ ...configOf(fake), bouncesTo }).success).toBe(false);
    },
  );

  it("fetches nothing when it is opened", async () => {
    await notifier.send(alertMessage(), options());
    expect(String(fake.mails[0]?.parsed.html)).not.toMatch(
      /<(img|link|script|iframe|object|video)|@import|url\(/i,
    );
  });

  it("has the same headers and parts whatever strangers write", async () => {
    const headersOf = (raw: string) => (raw.split("\r\n\r\n")[0] ?? "").match(/^[\w-]+(?=:)/gm);
    const config = configOf(fake);
    notifier = email.create({ ...config, smtp: { ...config.smtp, connections: 4 } }, await notifierDeps());
    await notifier.send(alertMessage(), { signal: AbortSignal.timeout(60_000) });
    const [usual] = fake.mails;
    const short = attacks.filter(({ text }) => text.length < 1000);
    expect(short.length).toBeGreaterThan(300);
    // Two attacks a mail, side by side in its subject; a third in its parts.
    const pairs = Array.from({ length: Math.ceil(short.length / 2) }, (_, i) => {
      const [first, second = first] = short.slice(2 * i, 2 * i + 2);
      return {
        query: first?.text ?? "",
        ruleName: second?.text ?? "",
        name: `${first?.name} ${second?.name}`,
      };
    });
    const sent = pairs.map(async ({ name, query, ruleName }) => {
      const announcement = { query, text: ruleName };
      const view = { ...alertMessage().view, query, ruleName, announcement, because: query };
      const { vendorRef } = await notifier.send(alertMessage({ notificationId: name, view }), {
        signal: AbortSignal.timeout(100_000),
      });
      const mail = fake.mails.find(({ parsed }) => parsed.messageId === vendorRef["messageId"]);
      // Right-to-left text is followed by a mark that turns the direction back.
      const turned = /[\p{Script=Hebrew}\p{Script=Arabic}]/u.test(cleanLine(query)) ? "\u200e" : "";
      const subject = `[CRITICAL] ${cleanLine(query)}${turned}: ${cleanLine(ruleName)}`
        .replaceAll(/\s+/g, " ")
        .trim()
        // An encoded word in a text must not be decoded.
        .replaceAll("=?", "=？");
      expect(headersOf(mail?.raw ?? ""), name).toEqual(headersOf(usual?.raw ?? ""));
      expect(mail, name).toMatchObject({ to: ["duty@example.org"], parsed: { subject } });
    });
    await Promise.all(sent);
    await notifier.close();
  }, 120_000);

  it("to a server that is down can be retried", async () => {
    const port = await closedPort();
    const lost = email.create(configOf({ host: "127.0.0.1", port }), await notifierDeps());
    await expect(lost.send(alertMessage(), options())).rejects.toMatchObject({ retryable: true });
    await expect(lost.check(options())).rejects.toMatchObject({ retryable: true });
  });
});

/** As a receiving server does it: relaxed canonicalization of the headers that the signature names. */
function verifyDkim(
  raw: string,
  signature: string,
  tag: (name: string) => string,
  publicKey: string,
): boolean {
  const head = raw
    .slice(0, raw.indexOf("\r\n\r\n"))
    .replaceAll(/\r\n([ \t])/g, "$1")
    .split("\r\n");
  const relaxed = (line: string) => {
    const colon = line.indexOf(":");
    const value = line
      .slice(colon + 1)
      .replaceAll(/[ \t]+/g, " ")
      .trim();
    return `${line.slice(0, colon).trim().toLowerCase()}:${value}`;
  };
  const signed = tag("h")
    .split(":")
    .map((name) => {
      const line = head.find((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}:`));
      return line === undefined ? "" : `${relaxed(line)}\r\n`;
    });
  const own = relaxed(signature.replaceAll("\r\n", "")).replace(/\bb=[^;]*/, "b=");
  return createVerify("RSA-SHA256")
    .update(`${signed.join("")}${own}`)
    .verify(publicKey, tag("b"), "base64");
}

function configOf(server: { host: string; port: number }) {
  const smtp = { host: server.host, port: server.port, user: "earshot", password: PASSWORD };
  return email.config.parse({ kind: "email", to: "duty@example.org", from: "earshot@example.com", smtp });
}
