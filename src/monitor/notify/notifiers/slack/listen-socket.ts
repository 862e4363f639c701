import { setTimeout as delay } from "node:timers/promises";
import { SocketModeClient } from "@slack/socket-mode";
import { monotonicMs } from "../../../../lib/clock.ts";
import { describeError } from "../../../../lib/errors.ts";
import { MINUTE } from "../../../../lib/instant.ts";
import type { Logger } from "../../../../lib/log.ts";
import { retryDelayMs } from "../../../../lib/retry.ts";
import type { ConnectionProblem } from "../../define-notifier.ts";
import { openSocketUrl, SILENT } from "./connect.ts";
import type { SlackConfig } from "./slack-config.ts";

export interface SocketParts {
  readonly config: Pick<SlackConfig, "apiUrl"> & { readonly appToken: string };
  /** Slack gets the acknowledgement of a click when this returns, or after `ANSWER_WITHIN_MS`. */
  readonly onInteraction: (payload: unknown) => Promise<void>;
  /** The socket is open (null), or could not be opened. */
  readonly onState: (problem: ConnectionProblem | null) => void;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Slack wants an answer within three seconds. */
export const ANSWER_WITHIN_MS = 2_500;

/**
 * Keeps a socket to Slack open until the signal aborts: clicks arrive over it, without a public address of ours. Slack
 * closes sockets every few hours and announces it; whatever ends a socket, another one is opened. The library would
 * give up on some failures and end the process on others, so this function reopens it.
 */
export async function listenSocket(parts: SocketParts): Promise<void> {
  const { log, signal } = parts;
  for (let row = { pauses: 0, quick: 0 }; !signal.aborted; ) {
    const ended = await oneSocket(parts);
    if (signal.aborted) return;
    if (ended.error !== null) log.warn({ reason: ended.error }, "slack: the socket for buttons is closed");
    row = afterSocket(row, ended);
    // Soon once a minute.
    if (row.pauses > 0)
      await delay(retryDelayMs(row.pauses, undefined, Math.random()), undefined, { signal }).catch(() => {});
  }
}

interface SocketEnd extends EndedSocket {
  /** Null if Slack asked to open another one. */
  readonly error: string | null;
}

async function oneSocket({ config, onInteraction, onState, log, signal }: SocketParts): Promise<SocketEnd> {
  const notOpened = (message: string, final: boolean): SocketEnd => {
    if (!signal.aborted) onState({ message, final });
    return { openMs: null, error: message };
  };
  const opened = await openSocketUrl(config, signal);
  if ("error" in opened) return notOpened(opened.error, opened.final);
  const client = new SocketModeClient({
    appToken: config.appToken,
    autoReconnectEnabled: false,
    logger: SILENT,
    clientOptions: {
      // The address is known already: the client asks this function instead of Slack.
      fetch: async () => Response.json({ ok: true, url: opened.url }),
      retryConfig: { retries: 0 },
    },
  });
  let openSince: number | null = null;
  client.on("connected", () => {
    openSince = monotonicMs();
    onState(null);
    log.info("slack: the socket for buttons is open");
  });
  for (const what of ["interactive", "slash_commands", "message"])
    client.on(what, ({ ack, body }: { ack: () => Promise<void>; body: unknown }) => {
      take(onInteraction, body, ack, log).catch((error: unknown) =>
        log.error({ reason: describeError(error) }, "slack: a click could not be handled"),
      );
    });
  const disconnected = new Promise<void>((resolve) => client.once("disconnected", () => resolve()));
  const stop = () => void client.disconnect().catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    client.start().catch(() => {});
    await disconnected;
    return openSince === null
      ? notOpened("Slack did not open it", false)
      : { openMs: monotonicMs() - openSince, error: null };
  } finally {
    signal.removeEventListener("abort", stop);
    client.removeAllListeners();
  }
}

/** An interaction that failed is not acknowledged: Slack then shows an error to the person, who clicks again. */
async function take(
  onInteraction: SocketParts["onInteraction"],
  body: unknown,
  ack: () => Promise<void>,
  log: Logger,
): Promise<void> {
  const work = onInteraction(body);
  const late = delay(ANSWER_WITHIN_MS, undefined, { ref: false });
  await Promise.race([work, late]);
  await ack().catch((error: unknown) =>
    log.warn(
      { reason: describeError(error) },
      "slack: a click was handled, but could not be acknowledged to Slack",
    ),
  );
  await work;
}

/** How a socket ended, as far as the next one needs it. */
interface EndedSocket {
  /** How long it was open; null if it never opened. */
  readonly openMs: number | null;
}

/**
 * The number of pauses in a row before the next socket, its own included: 0 opens it at once. A socket that was open is
 * replaced at once, but a second time only if it lasted. Otherwise sockets that a proxy (or too many others) closes
 * immediately would be opened a thousand times a minute.
 */
export function afterSocket(
  { pauses, quick }: { readonly pauses: number; readonly quick: number },
  { openMs }: EndedSocket,
): { readonly pauses: number; readonly quick: number } {
  if (openMs === null) return { pauses: pauses + 1, quick };
  if (openMs >= MINUTE) return { pauses: 0, quick: 0 };
  return quick === 0 ? { pauses: 0, quick: 1 } : { pauses: pauses + 1, quick: quick + 1 };
}
