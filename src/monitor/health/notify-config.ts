import { DAY } from "../../lib/instant.ts";
import { OWN_QUERY } from "../model/query.ts";
import type { NotifyConfig } from "../notify/decide/decide-notifications.ts";
import type { RouteConfig } from "../notify/decide/route.ts";
import type { ReceiverConfig } from "../notify/receiver-config.ts";
import { chooseOperators, type OperatorConfig } from "./operators.ts";

interface NotifySettings {
  readonly routes: readonly RouteConfig[];
  readonly receivers: readonly ReceiverConfig[];
  readonly inhibitions: NotifyConfig["inhibitions"];
  readonly escalations: NotifyConfig["escalations"];
  readonly rotations: NotifyConfig["rotations"];
  readonly operator?: OperatorConfig;
}

/**
 * Routes and receivers of the configuration, as the decisions need them. Alerts about Earshot itself have routes of
 * their own, before all others. They never go to a receiver in `failing` while another one works.
 */
export function createNotifyConfig(
  config: NotifySettings,
  failing: ReadonlySet<string> = new Set(),
): NotifyConfig {
  const receivers = new Map(config.receivers.map((receiver) => [receiver.name, receiver]));
  return {
    routes: [...operatorRoutes(config, failing), ...config.routes],
    floodAt: config.operator?.flood ?? null,
    inhibitions: config.inhibitions,
    escalations: config.escalations,
    rotations: config.rotations,
    receiver: (name) => {
      const found = receivers.get(name);
      if (found === undefined) return undefined;
      const { quietHours, throttle, readByProgram } = found;
      return { name, quietHours, throttle, readByProgram };
    },
    throttled: config.receivers.flatMap(({ name, throttle }) =>
      throttle === null ? [] : [{ name, throttle }],
    ),
  };
}

function operatorRoutes(config: NotifySettings, failing: ReadonlySet<string>): RouteConfig[] {
  const names = config.receivers.map(({ name }) => name);
  const route = (left: ReadonlySet<string>, labels: RouteConfig["match"]["labels"]): RouteConfig => ({
    name: "operator",
    match: { query: [OWN_QUERY.queryId], ...(labels === undefined ? {} : { labels }) },
    receivers: [...chooseOperators(config.operator?.receivers, config.routes, names, left)],
    repeatEveryMs: config.operator?.repeatEvery ?? null,
    sendResolved: true,
    forgetAfterMs: DAY,
    group: null,
    continue: false,
    routes: [],
  });
  // Other receivers are notified of a failing receiver, whether or not it still fails when that is decided.
  const aboutEach = names.map((name) => route(new Set([...failing, name]), { receiver: [name] }));
  return [...aboutEach, route(failing, undefined)];
}
