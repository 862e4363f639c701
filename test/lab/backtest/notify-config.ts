import { DAY, HOUR } from "../../../src/lib/instant.ts";
import type { NotifyConfig } from "../../../src/monitor/notify/decide/decide-notifications.ts";
import type { Throttle } from "../../../src/monitor/notify/decide/throttle.ts";

/** Nobody is notified. */
export const NOBODY: NotifyConfig = {
  routes: [],
  inhibitions: [],
  escalations: [],
  rotations: [],
  receiver: () => undefined,
  throttled: [],
};

/** One route for everything, to `comms`. */
export function toComms(
  its: { readonly throttle?: Throttle; readonly repeatEveryMs?: number | null } & Partial<NotifyConfig> = {},
): NotifyConfig {
  const { throttle = null, repeatEveryMs = 4 * HOUR, ...more } = its;
  return {
    ...NOBODY,
    routes: [
      {
        match: {},
        receivers: ["comms"],
        repeatEveryMs,
        sendResolved: true,
        forgetAfterMs: DAY,
        group: null,
        continue: false,
        routes: [],
      },
    ],
    receiver: (name) => ({ name, quietHours: [], throttle }),
    throttled: throttle === null ? [] : [{ name: "comms", throttle }],
    ...more,
  };
}
