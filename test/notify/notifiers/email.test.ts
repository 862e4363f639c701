import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Notifier } from "../../../src/notify/define-notifier.ts";
import { email } from "../../../src/notify/notifiers/email.ts";
import { cleanLine } from "../../../src/templates/clean-text.ts";
import { alertMessage, digestMessage, notifierDeps, testNotifier } from "../../contracts/notifier.ts";
import { closedPort, type FakeSmtp, type SmtpFault, startFakeSmtp } from "../../fakes/smtp.ts";
import { attacks } from "../../fixtures/attacks.ts";

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

  it("has the same Message-ID on every try, and another for another notification", async () => {
    const first = await notifier.send(alertMessage(), options());
    const second = await notifier.send(alertMessage({ attempt: 2 }), options());
    const other = await notifier.send(alertMessage({ notificationId: "n-2" }), options());
    expect(second.vendorRef).toEqual(first.vendorRef);
    expect(other.vendorRef).not.toEqual(first.vendorRef);
    expect(fake.mails[0]?.parsed.messageId).toBe(first.vendorRef["messageId"]);
  });

  it("about one alert stands in one thread", async () => {
    const { vendorRef } = await notifier.send(alertMessage(), options());
    await notifier.send(
      alertMessage({ notificationId: "n-2", kind: "reminder", previous: vendorRef }),
      options(),
    );
    const [first, second] = fake.mails.map(({ parsed }) => parsed);
    expect(second?.inReplyTo).toBe(first?.messageId);
    expect(second?.references?.[0]).toBe(first?.inReplyTo);
    expect(second?.subject).toBe(first?.subject);
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

  it("fetches nothing when it is opened", async () => {
    await notifier.send(alertMessage(), options());
    expect(String(fake.mails[0]?.parsed.html)).not.toMatch(
      /<(img|link|script|iframe|object|video)|@import|url\(/i,
    );
  });

  it("has the same headers and parts whatever strangers wrote", async () => {
    const headersOf = (raw: string) => (raw.split("\r\n\r\n")[0] ?? "").match(/^[\w-]+(?=:)/gm);
    await notifier.send(alertMessage(), options());
    const [usual] = fake.mails;
    const short = attacks.filter(({ text }) => text.length < 1000);
    const sent = short.map(async ({ name, text }) => {
      const view = { ...alertMessage().view, query: text, ruleName: text, because: text };
      const { vendorRef } = await notifier.send(alertMessage({ notificationId: name, view }), options());
      const mail = fake.mails.find(({ parsed }) => parsed.messageId === vendorRef["messageId"]);
      const subject = `[CRITICAL] ${cleanLine(text)}: ${cleanLine(text)}`.replaceAll(/\s+/g, " ").trim();
      expect(headersOf(mail?.raw ?? ""), name).toEqual(headersOf(usual?.raw ?? ""));
      expect(mail, name).toMatchObject({ to: ["duty@example.org"], parsed: { subject } });
    });
    expect(sent.length).toBeGreaterThan(60);
    await Promise.all(sent);
  });

  it("to a server that is not there can be tried again", async () => {
    const port = await closedPort();
    const lost = email.create(configOf({ host: "127.0.0.1", port }), await notifierDeps());
    await expect(lost.send(alertMessage(), options())).rejects.toMatchObject({ retryable: true });
    await expect(lost.check(options())).rejects.toMatchObject({ retryable: true });
  });
});

function configOf(server: { host: string; port: number }) {
  const smtp = { host: server.host, port: server.port, user: "earshot", password: PASSWORD };
  return email.config.parse({ kind: "email", to: "duty@example.org", from: "earshot@example.com", smtp });
}
