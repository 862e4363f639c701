import { z } from "zod";
import { DigestConfig } from "../digest/digest-config.ts";
import { HeartbeatConfig } from "../health/heartbeat-config.ts";
import { OperatorConfig } from "../health/operator-config.ts";
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
  /** The address under which readers reach the page; links in messages lead there. */
  publicUrl: z.url({ protocol: /^https?$/ }).exactOptional(),
  /** Needed as soon as the page listens elsewhere than on this machine. */
  login: z.strictObject({ username: z.string().min(1), password: z.string().min(8) }).exactOptional(),
  /** Addresses or networks of proxies before the page, which tell who asks: else all readers share one address. */
  trustedProxies: z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])).default([]),
  /** Certificate with its chain, and key, as files in PEM form beside this file: the page then speaks https itself. */
  tls: z.strictObject({ cert: z.string().min(1), key: z.string().min(1) }).exactOptional(),
});

/** What stands in `earshot.yaml`. Receivers are read apart: what one has depends on its kind. */
export const ConfigFile = z.strictObject({
  source: SourceConfig,
  receivers: z.array(z.unknown()).min(1, "name at least one receiver, else nobody is told"),
  routes: z.array(RouteConfig).min(1, "name at least one route, else alerts reach nobody"),
  inhibitions: z.array(Inhibition).default([]),
  escalations: z.array(EscalationConfig).default([]),
  rotations: z.array(Rotation).default([]),
  digests: z.array(DigestConfig).default([]),
  /** Folder of rules, beside this file unless absolute. */
  rules: z.string().default("rules"),
  /** Folder of templates that replace shipped ones of the same name; `templates` beside this file, where it is there. */
  templates: z.string().min(1).exactOptional(),
  /** Zone in which messages show times. */
  timezone: TimeZone.default("UTC"),
  web: Web.prefault({}),
  /** Who is told about Earshot's own troubles. */
  operator: OperatorConfig.prefault({}),
  /** Called while the whole line works, so that somebody outside notices when Earshot is dead. */
  heartbeat: HeartbeatConfig.exactOptional(),
  /** Months that ended longer ago than this are dropped. */
  retention: durationBetween(31 * DAY, 36_500 * DAY).default(400 * DAY),
});
export type ConfigFile = z.output<typeof ConfigFile>;
