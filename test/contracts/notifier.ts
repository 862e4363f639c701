import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createManualClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import type {
  AlertMessage,
  DigestMessage,
  Notifier,
  NotifierDeps,
} from "../../src/monitor/notify/define-notifier.ts";
import { DeliveryError } from "../../src/monitor/notify/delivery-error.ts";
import { createRenderer } from "../../src/monitor/templates/create-renderer.ts";
import { sampleAlertViews } from "../../src/monitor/templates/sample-alert-views.ts";
import { sampleDigestViews } from "../../src/monitor/templates/sample-digest-views.ts";

/** A notifier, and the fake server (test/fakes) that its messages go to. */
export interface NotifierUnderTest {
  readonly notifier: Notifier;
  /** One entry for each message that the fake accepted, in order; requests of `check` are none. */
  received(): Promise<readonly unknown[]>;
  /** Tokens, passwords and secret addresses: no error may contain them. */
  readonly secrets: readonly string[];
  /** Each way in which the vendor fails, and what the error has to say about it. */
  readonly failures: readonly NotifierFailure[];
  close(): Promise<void>;
}

export interface NotifierFailure {
  readonly name: string;
  /** Makes the next `send` fail in this way, and only that one. */
  arrange(): void | Promise<void>;
  readonly retryable: boolean;
  /** The wait that the vendor asks for. Absent or null: it asks for none. */
  readonly retryAfterMs?: number | null;
  /** Whether all receivers of the same channel have to wait. Absent: not checked. */
  readonly concernsChannel?: boolean;
  /** A part of the advice. Absent: not checked. */
  readonly advises?: RegExp;
  /** A part of the error's message. Absent: not checked. */
  readonly says?: RegExp;
}

/** What every kind of notifier must do. Call it once, in `test/monitor/notify/notifiers/<kind>.test.ts`. */
export function testNotifier(kind: string, start: (deps: NotifierDeps) => Promise<NotifierUnderTest>): void {
  describe(`a ${kind} notifier`, () => {
    let subject: NotifierUnderTest;
    beforeEach(async () => {
      subject = await start(await notifierDeps());
    });
    afterEach(async () => {
      await subject.notifier.close();
      await subject.close();
    });
    const signal = () => AbortSignal.timeout(10_000);

    it("delivers every kind of alert message and digest", async () => {
      for (const [index, view] of sampleAlertViews.entries()) {
        const message = alertMessage({ notificationId: `n-${index}`, kind: view.kind, view });
        const { vendorRef } = await subject.notifier.send(message, { signal: signal() });
        expect(Object.values(vendorRef), "vendorRef may not have an empty value").not.toContain("");
      }
      for (const [index, view] of sampleDigestViews.entries()) {
        await subject.notifier.send(digestMessage({ notificationId: `d-${index}`, view }), {
          signal: signal(),
        });
      }
      expect(
        await subject.received(),
        "received() must have one entry for each message that send() returned for",
      ).toHaveLength(sampleAlertViews.length + sampleDigestViews.length);
    });

    it("checks a receiver that works without sending a message", async () => {
      await subject.notifier.check({ signal: signal() });
      expect(await subject.received(), "check() may not send a message").toHaveLength(0);
    });

    it("names every failure, whether a retry helps, and no secret; and gets through afterwards", async () => {
      for (const failure of subject.failures) {
        await failure.arrange();
        const error = await subject.notifier.send(alertMessage(), { signal: signal() }).then(
          () => null,
          (thrown: unknown) => thrown,
        );
        expectDeliveryError(error, `send() after arrange() of "${failure.name}"`);
        expect({ retryable: error.retryable, retryAfterMs: error.retryAfterMs }, failure.name).toEqual({
          retryable: failure.retryable,
          retryAfterMs: failure.retryAfterMs ?? null,
        });
        if (!failure.retryable)
          expect(error.advice, `${failure.name}: an error that is not retryable needs advice`).not.toBeNull();
        if (failure.concernsChannel !== undefined)
          expect(error.concernsChannel, failure.name).toBe(failure.concernsChannel);
        if (failure.advises) expect(error.advice, failure.name).toMatch(failure.advises);
        if (failure.says) expect(error.message, failure.name).toMatch(failure.says);
        expect(error.cause, `${failure.name}: a cause could contain a secret`).toBeUndefined();
        for (const secret of subject.secrets) {
          expect(
            JSON.stringify([error, error.message, error.stack]),
            `${failure.name}: pass the secrets to DeliveryError`,
          ).not.toContain(secret);
        }
        await subject.notifier.send(alertMessage({ notificationId: `after ${failure.name}` }), {
          signal: signal(),
        });
      }
    });

    it("gives up when its signal is aborted, and can be retried", async () => {
      const error = await subject.notifier.send(alertMessage(), { signal: AbortSignal.abort() }).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expectDeliveryError(error, "send() with an aborted signal");
      expect(error.retryable, "an aborted send must be retryable").toBe(true);
    });
  });
}

function expectDeliveryError(error: unknown, what: string): asserts error is DeliveryError {
  if (error instanceof DeliveryError) {
    expect(error.code, `${what}: a code labels metrics`).toMatch(/^[a-z][a-z0-9_-]{1,60}$/);
    return;
  }
  const instead = error === null ? "it returned" : "it threw the cause below";
  throw new Error(`${what} must throw DeliveryError, and nothing else; ${instead}`, { cause: error });
}

export async function notifierDeps(): Promise<NotifierDeps> {
  return {
    renderer: await createRenderer({ folder: "templates" }),
    clock: createManualClock(Date.UTC(2026, 1, 23, 16, 40)),
    log: createLog({ level: "silent" }),
  };
}

export function alertMessage(over: Partial<AlertMessage> = {}): AlertMessage {
  const [view] = sampleAlertViews;
  return { notificationId: "n-1", kind: "fired", attempt: 1, alertId: "a-1", view, previous: null, ...over };
}

export function digestMessage(over: Partial<DigestMessage> = {}): DigestMessage {
  const [view] = sampleDigestViews;
  return { notificationId: "d-1", kind: "digest", attempt: 1, view, previous: null, ...over };
}
