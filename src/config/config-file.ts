import { z } from "zod";
import { DigestConfig } from "../digest/digest-config.ts";
import { HeartbeatConfig } from "../health/heartbeat.ts";
import { OperatorConfig } from "../health/operators.ts";
import { durationBetween } from "../lib/duration.ts";
import { DAY } from "../lib/instant.ts";
import { TimeZone } from "../lib/local-time.ts";
import { EscalationConfig } from "../notify/decide/escalation.ts";
import { Inhibition } from "../notify/decide/inhibition.ts";
import { Rotation } from "../notify/decide/rotation.ts";
import { RouteConfig } from "../notify/decide/route.ts";
import { SourceConfig } from "./source-config.ts";

const Web = z.strictObject({
  host: z.string().default("127.0.0.1"),
  port: z.int().min(0).max(65_535).default(8080),
  /** The console's public address; links in messages use it. */
  publicUrl: z.url({ protocol: /^https?$/ }).exactOptional(),
  /** Required if the console listens on any address but this machine's. */
  login: z.strictObject({ username: z.string().min(1), password: z.string().min(8) }).exactOptional(),
  /** Addresses or networks of proxies that forward the reader's address: else all readers share the proxy's. */
  trustedProxies: z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])).default([]),
  /** Certificate with its chain, and key, as PEM files relative to this file: the console then serves https itself. */
  tls: z.strictObject({ cert: z.string().min(1), key: z.string().min(1) }).exactOptional(),
});

/** The schema of `earshot.yaml`. Receivers are read separately, because their fields depend on their kind. */
export const ConfigFile = z.strictObject({
  source: SourceConfig,
  receivers: z.array(z.unknown()).min(1, "name at least one receiver, else nobody is notified"),
  routes: z.array(RouteConfig).min(1, "name at least one route, else alerts reach nobody"),
  inhibitions: z.array(Inhibition).default([]),
  escalations: z.array(EscalationConfig).default([]),
  rotations: z.array(Rotation).default([]),
  digests: z.array(DigestConfig).default([]),
  /** Folder of rules, relative to this file unless absolute. */
  rules: z.string().default("rules"),
  /** Folder of templates that replace shipped ones of the same name; default `templates` next to this file. */
  templates: z.string().min(1).exactOptional(),
  /** Time zone of messages. */
  timezone: TimeZone.default("UTC"),
  web: Web.prefault({}),
  /** Who is notified about problems of Earshot itself. */
  operator: OperatorConfig.prefault({}),
  /** Called while the whole pipeline works, so that an outside service notices when Earshot is dead. */
  heartbeat: HeartbeatConfig.exactOptional(),
  /** Data of months that ended longer ago than this is deleted. */
  retention: durationBetween(31 * DAY, 36_500 * DAY).default(400 * DAY),
});
export type ConfigFile = z.output<typeof ConfigFile>;
