import type { SocketFault } from "../fakes/socket-server.ts";
import { until } from "./until.ts";
import type { World } from "./world.ts";

export interface Press {
  /** Of the alert; its channel has the same name. */
  readonly rule: string;
  readonly button: "acknowledge" | "resolve";
  /** What the history of the alert says of it. */
  readonly event: string;
  /** What the person waits for. */
  readonly after: "Message" | "Chart" | "ChartAndKills";
}

/**
 * Presses buttons; those of one alert one after the other. As Slack and people do, each press is sent again until it is
 * answered and seen to be done, over whichever socket is open then. Its first try has a fault. Goes on until
 * the signal aborts; the comparison says what is missing then. Returns how often each fault happened.
 */
export async function pressButtons(
  world: Pick<World, "slack" | "factsPool">,
  presses: readonly (readonly Press[])[],
  given: {
    readonly nextFault: () => SocketFault;
    readonly killsAreOver: () => boolean;
    readonly signal: AbortSignal;
  },
): Promise<ReadonlyMap<SocketFault, number>> {
  const happened = new Map<SocketFault, number>(SOCKET_FAULTS.map((fault) => [fault, 0]));
  const { slack } = world;
  const press = async (one: Press, at: string): Promise<boolean> => {
    const fault = given.nextFault();
    let payload: object | null = null;
    const tryOnce = async (): Promise<boolean> => {
      if (await isDone(world, one, at)) return true;
      const thread = (await slack.messages()).filter(({ channelName }) => channelName === one.rule);
      const root = thread.find(({ threadTs }) => threadTs === null);
      const waits =
        (one.after !== "Message" && !thread.some(({ files }) => files !== undefined)) ||
        (one.after === "ChartAndKills" && !given.killsAreOver());
      if (root === undefined || waits || slack.sockets.count() === 0) return false;
      const isFirst = payload === null;
      // The same click again: what it has done may have taken the button away.
      payload ??= slack.press(root, `earshot-${one.button}`, { at });
      const envelope = { envelope_id: at, type: "interactive", accepts_response_payload: false, payload };
      slack.sockets.send(envelope, isFirst ? fault : undefined);
      if (isFirst) happened.set(fault, (happened.get(fault) ?? 0) + 1);
      return until(AGAIN_MS, () => isDone(world, one, at));
    };
    while (!given.signal.aborted) if (await until(AGAIN_MS, tryOnce)) return true;
    return false;
  };
  await Promise.all(
    presses.map(async (ofAlert, person) => {
      for (const [nth, one] of ofAlert.entries())
        if (!(await press(one, `1771864900.${String(person * 100 + nth + 100).padStart(6, "0")}`))) return;
    }),
  );
  return happened;
}

async function isDone(
  { slack, factsPool }: Pick<World, "slack" | "factsPool">,
  { rule, event }: Press,
  envelopeId: string,
): Promise<boolean> {
  if (!slack.sockets.answered.some(({ envelope_id: one }) => one === envelopeId)) return false;
  const { rows } = await factsPool.query(
    `select from earshot.alert_events e join earshot.alerts a using (project_id) where a.id = e.alert_id
       and a.rule = $1 and e.what = $2`,
    [rule, event],
  );
  return rows.length > 0;
}

export const SOCKET_FAULTS: readonly SocketFault[] = [
  "cut",
  "closed",
  "refreshed",
  "silent",
  "twice",
  "unheard",
];

/** Slack waits three seconds for an answer. */
const AGAIN_MS = 3_000;
