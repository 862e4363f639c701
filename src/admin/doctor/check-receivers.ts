import { createNotifier, DeliveryError, definitionOf, type ReceiverConfig, type Renderer } from "#monitor";
import { systemClock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const PATIENCE_MS = 20_000;

/** Asks each vendor whether its receiver would work. Sends no message. */
export async function checkReceivers(
  receivers: readonly ReceiverConfig[],
  parts: { readonly renderer: Renderer; readonly log: Logger },
): Promise<readonly Finding[]> {
  const found = await Promise.all(
    receivers.map(async ({ name, notifier: config }): Promise<readonly Finding[]> => {
      const what = `receiver ${name}`;
      const notifier = createNotifier(config, { ...parts, clock: systemClock });
      try {
        await notifier.check({ signal: AbortSignal.timeout(PATIENCE_MS) });
        const notes = (await notifier.notes?.({ signal: AbortSignal.timeout(PATIENCE_MS) })) ?? [];
        return [
          ok(what, `${config.kind}: ${definitionOf(config).words.checked}`),
          ...notes.map((note) => warn(what, `${config.kind}: ${note.found}`, note.advice)),
        ];
      } catch (error) {
        const advice = error instanceof DeliveryError ? error.advice : null;
        return [
          fail(
            what,
            `${config.kind}: ${describeError(error)}`,
            advice ?? "Check the receiver in earshot.yaml.",
          ),
        ];
      } finally {
        await notifier.close();
      }
    }),
  );
  return found.flat();
}
