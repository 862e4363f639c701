import type { Config } from "../config.ts";
import type { Directory } from "../notify/tell.ts";

/** Routes and receivers of the configuration, as the decisions about telling need them. */
export function createDirectory(
  config: Pick<Config, "routes" | "receivers" | "inhibitions" | "escalations" | "rotations">,
): Directory {
  const receivers = new Map(config.receivers.map((receiver) => [receiver.name, receiver]));
  return {
    routes: config.routes,
    inhibitions: config.inhibitions,
    escalations: config.escalations,
    rotations: config.rotations,
    receiver: (name) => {
      const found = receivers.get(name);
      return found && { name, quietHours: found.quietHours, throttle: found.throttle };
    },
    throttled: config.receivers.flatMap(({ name, throttle }) =>
      throttle === null ? [] : [{ name, throttle }],
    ),
  };
}
