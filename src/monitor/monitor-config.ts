import type { DigestConfig } from "./digest/digest-config.ts";
import type { HeartbeatConfig } from "./health/heartbeat.ts";
import type { OperatorConfig } from "./health/operators.ts";
import type { EscalationConfig } from "./notify/decide/escalation.ts";
import type { Inhibition } from "./notify/decide/inhibition.ts";
import type { Rotation } from "./notify/decide/rotation.ts";
import type { RouteConfig } from "./notify/decide/route.ts";
import type { ReceiverConfig } from "./notify/receiver-config.ts";
import type { Sources } from "./source/source-config.ts";

/** What the monitor needs of `earshot.yaml`. What feeds and the console need of it stands in admin/config. */
export interface MonitorConfig {
  readonly sources: Sources;
  readonly receivers: readonly ReceiverConfig[];
  readonly routes: readonly RouteConfig[];
  readonly inhibitions: readonly Inhibition[];
  readonly escalations: readonly EscalationConfig[];
  readonly rotations: readonly Rotation[];
  readonly digests: readonly DigestConfig[];
  /** Folder of the rules. */
  readonly rules: string;
  /** The user's folder of templates, or the shipped one. */
  readonly templates: string;
  /** Time zone of times in messages. */
  readonly timezone: string;
  readonly web: { readonly publicUrl?: string };
  readonly operator: OperatorConfig;
  readonly heartbeat?: HeartbeatConfig;
  /** Milliseconds that mentions, counts, alerts and deliveries are kept. */
  readonly retention: number;
}
