import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createManualClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/log.ts";
import type {
  AlertMessage,
  DigestMessage,
  Notifier,
  NotifierDeps,
} from "../../src/notify/define-notifier.ts";
import { DeliveryError } from "../../src/notify/delivery-error.ts";
import { createRenderer } from "../../src/templates/create-renderer.ts";
import { sampleAlertViews } from "../../src/templates/sample-alert-views.ts";
import { sampleDigestViews } from "../../src/templates/sample-digest-views.ts";

/** A kind of notifier and the real server that its messages go to. */
export interface NotifierUnderTest {
  readonly notifier: Notifier;
  /** Notification ids or texts of the messages that arrived: only their number and order matter. */
  received(): Promise<readonly unknown[]>;
  /** Whatever must never show in an error. */
  readonly secrets: readonly string[];
  /** Every class of failure: how to bring it about, and what has to be said about it. */
  readonly failures: readonly NotifierFailure[];
  close(): Promise<void>;
}

export interface NotifierFailure {
  readonly name: string;
  arrange(): void | Promise<void>;
  readonly retryable: boolean;
  /** Null: nothing that could be meant. Not asked where absent. */
  readonly retryAfterMs?: number | null;
  /** Whether everybody who leads to the same place has to wait; not asked where absent. */
  readonly concernsChannel?: boolean;
  /** Something of what a person is told to do. */
  readonly advises?: RegExp;
  /** Something of the message. */
  readonly says?: RegExp;
}

/** What holds for every kind of notifier. Call it once in a test file of that kind. */
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
        expect(Object.values(vendorRef).every((value) => value !== "")).toBe(true);
      }
      for (const [index, view] of sampleDigestViews.entries()) {
        await subject.notifier.send(digestMessage({ notificationId: `d-${index}`, view }), {
          signal: signal(),
        });
      }
      expect(await subject.received()).toHaveLength(sampleAlertViews.length + sampleDigestViews.length);
    });

    it("says that the receiver works when it does", async () => {
      await subject.notifier.check({ signal: signal() });
      expect(await subject.received()).toHaveLength(0);
    });

    it("names every failure, whether a retry helps, and no secret; and gets through afterwards", async () => {
      for (const failure of subject.failures) {
        await failure.arrange();
        const error = await subject.notifier.send(alertMessage(), { signal: signal() }).then(
          () => null,
          (thrown: unknown) => thrown,
        );
        expect(error, failure.name).toBeInstanceOf(DeliveryError);
        if (!(error instanceof DeliveryError)) continue;
        expect({ retryable: error.retryable, retryAfterMs: error.retryAfterMs }, failure.name).toEqual({
          retryable: failure.retryable,
          retryAfterMs: failure.retryAfterMs ?? null,
        });
        if (!failure.retryable) expect(error.advice, failure.name).not.toBeNull();
        if (failure.concernsChannel !== undefined)
          expect(error.concernsChannel, failure.name).toBe(failure.concernsChannel);
        if (failure.advises) expect(error.advice, failure.name).toMatch(failure.advises);
        if (failure.says) expect(error.message, failure.name).toMatch(failure.says);
        expect(error.cause, failure.name).toBeUndefined();
        for (const secret of subject.secrets) {
          expect(JSON.stringify([error, error.message, error.stack]), failure.name).not.toContain(secret);
        }
        await subject.notifier.send(alertMessage({ notificationId: `after ${failure.name}` }), {
          signal: signal(),
        });
      }
    });

    it("gives up when it is told to", async () => {
      const error = await subject.notifier
        .send(alertMessage(), { signal: AbortSignal.abort() })
        .catch((e) => e);
      expect(error).toBeInstanceOf(DeliveryError);
      expect(error).toMatchObject({ retryable: true });
    });
  });
}

export async function notifierDeps(): Promise<NotifierDeps> {
  return {
    renderer: await createRenderer({ notifyConfig: "templates" }),
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
