import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Notifier } from "../../../../src/monitor/notify/define-notifier.ts";
import { DeliveryError } from "../../../../src/monitor/notify/delivery-error.ts";
import { email } from "../../../../src/monitor/notify/notifiers/email.ts";
import { alertMessage, notifierDeps } from "../../../contracts/notifier.ts";
import { CERTIFICATE } from "../../../fakes/certificate.ts";
import { type ScriptedSmtp, type SmtpStep, startScriptedSmtp } from "../../../fakes/scripted-smtp.ts";

const options = () => ({ signal: AbortSignal.timeout(10_000) });
const TRUSTED = { serverName: "mail.brand.example", ca: CERTIFICATE };

async function notifierFor(server: ScriptedSmtp, smtp: object = {}): Promise<Notifier> {
  const { host, port } = server;
  const login = { user: "earshot", password: "very-secret-password" };
  return email.create(
    email.config.parse({
      kind: "email",
      to: "duty@example.org",
      from: "earshot@example.com",
      smtp: { host, port, ...login, ...smtp },
    }),
    await notifierDeps(),
  );
}

async function failureOf(notifier: Notifier): Promise<DeliveryError> {
  const thrown: unknown = await notifier.send(alertMessage(), options()).then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof DeliveryError)) throw new Error(`no DeliveryError: ${String(thrown)}`);
  return thrown;
}

describe("the answers of a mail server", () => {
  let server: ScriptedSmtp;
  let notifier: Notifier;
  beforeAll(async () => {
    server = await startScriptedSmtp("none");
    notifier = await notifierFor(server);
  });
  afterEach(() => {
    for (const step of Object.keys(server.answers)) delete server.answers[step as SmtpStep];
    server.breakAt = null;
  });
  afterAll(() => server.close());

  // Every code of RFC 5321, 4954, 3207, 1870, 7504, and codes that servers invented.
  const LATER = [
    420, 421, 422, 430, 431, 432, 441, 442, 446, 447, 449, 450, 451, 452, 453, 454, 455, 458, 459, 471,
  ];
  const NEVER = [
    ...[500, 501, 502, 503, 504, 505, 510, 511, 512, 513, 515, 517, 521, 523, 530, 531, 533, 534, 535, 538],
    ...[540, 541, 542, 543, 546, 547, 550, 551, 552, 553, 554, 555, 556, 557, 571],
  ];

  it.each([...LATER, ...NEVER])(
    "%i to the recipient is temporary below 500, and permanent from there on",
    async (code) => {
      server.answers.rcpt = `${code} not now`;
      const { retryable, advice, message } = await failureOf(notifier);
      expect({ retryable, isAdvised: advice !== null }).toEqual({
        retryable: code < 500,
        isAdvised: code >= 500,
      });
      expect(message).toContain(`${code} not now`);
    },
  );

  it.each<[SmtpStep, string, boolean, RegExp]>([
    ["greeting", "421 too busy", true, /421 too busy/],
    ["greeting", "554 not for you", false, /554 not for you/],
    ["ehlo", "421 closing", true, /421 closing/],
    ["auth", "454 later", true, /454 later/],
    ["auth", "432 a new password is needed", true, /432/],
    ["auth", "535 5.7.8 wrong password", false, /refused the login: 535 5.7.8/],
    ["auth", "534 too weak", false, /refused the login: 534/],
    ["mail", "451 greylisted", true, /451 greylisted/],
    ["mail", "452 4.3.1 full", true, /452/],
    ["mail", "530 5.7.0 STARTTLS first", false, /530/],
    ["mail", "550 5.7.1 not your address", false, /550/],
    ["data", "451 later", true, /451 later/],
    ["data", "554 no valid recipients", false, /554/],
    ["message", "421 shutting down", true, /421/],
    ["message", "451 4.7.1 greylisted", true, /451/],
    ["message", "452 full", true, /452/],
    ["message", "552 5.3.4 too large", false, /552/],
    ["message", "554 5.7.1 spam", false, /554/],
  ])("at %s: %s", async (step, answer, retryable, says) => {
    server.answers[step] = answer;
    const error = await failureOf(notifier);
    expect(error).toMatchObject({
      retryable,
      message: expect.stringMatching(says),
      // An answer before the mail was described would be the same for any other, so all of them wait.
      concernsChannel: retryable
        ? answer.startsWith("421") || ["greeting", "ehlo", "auth"].includes(step)
        : error.concernsChannel,
    });
    if (!retryable) expect(error.advice).not.toBeNull();
    expect(JSON.stringify([error, error.stack])).not.toContain("very-secret-password");
  });

  it.each<SmtpStep>(["greeting", "ehlo", "auth", "mail", "rcpt", "data", "message"])(
    "none at all, because it breaks off at %s, can be retried",
    async (step) => {
      server.breakAt = step;
      expect(await failureOf(notifier)).toMatchObject({
        retryable: true,
        advice: null,
        concernsChannel: true,
      });
    },
  );

  it("yes, to one recipient a transaction", async () => {
    const { vendorRef } = await notifier.send(alertMessage(), options());
    expect(vendorRef).toMatchObject({ answer: "250 queued as 4BC" });
    expect(server.mails.at(-1)?.to).toEqual(["duty@example.org"]);
  });
});

describe("a mail server with TLS", () => {
  const servers: ScriptedSmtp[] = [];
  const start = async (tls: "implicit" | "starttls" | "none") => {
    const server = await startScriptedSmtp(tls);
    servers.push(server);
    return server;
  };
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

  it.each([
    ["implicit", { secure: true }],
    ["starttls", { requireTls: true }],
    ["starttls", {}],
  ] as const)("%s gets mail and login over TLS if its issuer is trusted", async (tls, smtp) => {
    const server = await start(tls);
    await (await notifierFor(server, { ...smtp, tls: TRUSTED })).send(alertMessage(), options());
    expect(server.mails).toMatchObject([{ isSecret: true, to: ["duty@example.org"] }]);
    // Before that only a greeting and STARTTLS are sent.
    expect(server.inClear.filter((command) => !["EHLO", "STARTTLS"].includes(command))).toEqual([]);
  });

  it.each([
    ["implicit", { secure: true }],
    ["starttls", { requireTls: true }],
    ["starttls", {}],
  ] as const)(
    "%s with an untrusted certificate gets nothing, and the error says what to do",
    async (tls, smtp) => {
      const server = await start(tls);
      const names = { serverName: "mail.brand.example" };
      const error = await failureOf(await notifierFor(server, { ...smtp, tls: names }));
      expect(error).toMatchObject({
        retryable: true,
        message: expect.stringMatching(/certificate is not trusted: self-signed certificate/),
        advice: expect.stringMatching(/ca_file/),
      });
      expect(server.mails).toEqual([]);
      expect(server.inClear).not.toContain("AUTH");
    },
  );

  it("with the certificate of another name is refused, and the error names the certificate's names", async () => {
    const server = await start("implicit");
    const tls = { ca: CERTIFICATE, serverName: "mail.other.example" };
    expect(await failureOf(await notifierFor(server, { secure: true, tls }))).toMatchObject({
      message: expect.stringMatching(/certificate is for another name/),
      advice: expect.stringMatching(/serverName/),
    });
    expect(server.mails).toEqual([]);
  });

  it.each([
    ["offers none", "none", {}],
    ["takes its offer back", "starttls", { starttls: "454 TLS not available" }],
  ] as const)("that is required is not done without by a server that %s", async (_, tls, answers) => {
    const server = await start(tls);
    Object.assign(server.answers, answers);
    const error = await failureOf(await notifierFor(server, { requireTls: true, tls: TRUSTED }));
    expect(error).toMatchObject({ retryable: true, message: expect.stringMatching(/TLS/) });
    expect(error.advice).not.toBeNull();
    expect(server.inClear).not.toContain("AUTH");
    expect(server.mails).toEqual([]);
  });

  it("is not used in clear on the port of TLS, nor the other way round, and the error names the port", async () => {
    const implicit = await start("implicit");
    const clear = await start("starttls");
    const wrong = await failureOf(await notifierFor(clear, { secure: true, tls: TRUSTED }));
    expect(wrong).toMatchObject({ retryable: true, advice: expect.stringMatching(/secure/) });
    const impatient = AbortSignal.timeout(300);
    const waiting = (await notifierFor(implicit, { tls: TRUSTED })).send(alertMessage(), {
      signal: impatient,
    });
    await expect(waiting).rejects.toMatchObject({ retryable: true });
    expect([...implicit.mails, ...clear.mails]).toEqual([]);
  });
});
