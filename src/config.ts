import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { z } from "zod";
import { fillSecrets } from "./config/fill-secrets.ts";
import { SourceConfig } from "./config/source-config.ts";
import { digestClashes } from "./digest/digest-clashes.ts";
import { DigestConfig } from "./digest/digest-config.ts";
import { closestWord } from "./lib/closest-word.ts";
import { describeIssues } from "./lib/describe-issues.ts";
import { Duration } from "./lib/duration.ts";
import { UserError, whyUnread } from "./lib/errors.ts";
import { describeFault, type Issue } from "./lib/fault.ts";
import { DAY } from "./lib/instant.ts";
import { TimeZone } from "./lib/local-time.ts";
import { byPlace, readYaml } from "./lib/read-yaml.ts";
import { shippedFolder } from "./lib/shipped-folder.ts";
import { EscalationConfig } from "./notify/escalation.ts";
import { Inhibition } from "./notify/inhibition.ts";
import { NotifierConfig } from "./notify/notifiers.ts";
import { QuietHours } from "./notify/quiet-hours.ts";
import { Rotation } from "./notify/rotation.ts";
import { RouteConfig } from "./notify/route.ts";
import { STORM_THROTTLE, Throttle } from "./notify/throttle.ts";
import { HeartbeatConfig } from "./watch/heartbeat-config.ts";
import { OperatorConfig } from "./watch/operator-config.ts";

const Receiver = z.object({
  name: z.string().min(1),
  quietHours: z.array(QuietHours).default([]),
  throttle: Throttle.exactOptional(),
});

/** What every receiver has beside what its kind needs. */
export interface ReceiverConfig extends Omit<z.output<typeof Receiver>, "throttle"> {
  /** Null: `throttle: none`, or a program that reads it. */
  readonly throttle: Throttle | null;
  readonly notifier: NotifierConfig;
}

const Web = z.strictObject({
  host: z.string().default("127.0.0.1"),
  port: z.int().min(0).max(65_535).default(8080),
  /** The address under which readers reach the page; links in messages lead there. */
  publicUrl: z.url({ protocol: /^https?$/ }).exactOptional(),
  /** Needed as soon as the page listens elsewhere than on this machine. */
  login: z.strictObject({ username: z.string().min(1), password: z.string().min(8) }).exactOptional(),
});

const Config = z.strictObject({
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
  retention: Duration.default(400 * DAY),
});

export interface Config extends Omit<z.output<typeof Config>, "receivers" | "templates"> {
  readonly receivers: readonly ReceiverConfig[];
  /** The shipped folder where nobody changed a template. */
  readonly templates: string;
}

type Path = readonly (string | number)[];

/**
 * Reads `earshot.yaml`. Every fault is told at once, with file, line and what was expected, as a UserError. `${NAME}`
 * in a text is replaced by that environment variable; `password_file: path` gives `password` the content of a file.
 */
export async function loadConfig(file: string, env: NodeJS.ProcessEnv): Promise<Config> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UserError(`${file} cannot be read: ${whyUnread(error)}`);
  });
  const yaml = readYaml(file, text);
  const issues: Issue[] = [];
  const filled = await fillSecrets(yaml.content, [], { env, folder: dirname(file), issues });
  const config = yaml.faults.length > 0 ? undefined : readConfig(filled, issues);
  const faults = [...yaml.faults, ...issues.map(yaml.locate)].sort(byPlace);
  if (config === undefined || faults.length > 0) {
    throw new UserError(
      `${file} has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}`,
      faults.map(describeFault),
    );
  }
  const beside = (folder: string) => (isAbsolute(folder) ? folder : join(dirname(file), folder));
  // A folder that is named has to be there; the usual one may be missing as long as nobody changes a template.
  const own = beside(config.templates ?? "templates");
  const isUsed = config.templates !== undefined || existsSync(own);
  return { ...config, rules: beside(config.rules), templates: isUsed ? own : shippedFolder("templates") };
}

/** Checks a configuration that was made in code (demo, replay, tests) by the same schema. */
export function parseConfig(content: unknown): Config {
  const issues: Issue[] = [];
  const config = readConfig(content, issues);
  if (config === undefined || issues.length > 0) {
    throw new UserError(
      "the configuration has faults",
      issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`),
    );
  }
  return { ...config, templates: config.templates ?? shippedFolder("templates") };
}

type Written = Omit<Config, "templates"> & Pick<z.output<typeof Config>, "templates">;

function readConfig(content: unknown, issues: Issue[]): Written | undefined {
  const parsed = Config.safeParse(content);
  // Receivers are read also where the rest has faults, so that one look at the file finds them all.
  const entries = receiversIn(content);
  const receivers = entries.flatMap((entry, index) => readReceiver(entry, index, issues));
  if (!parsed.success) {
    issues.push(...describeIssues(parsed.error, Config, content));
    return undefined;
  }
  checkNames(parsed.data, receivers, issues);
  checkButtons(parsed.data, receivers, issues);
  return { ...parsed.data, receivers };
}

function receiversIn(content: unknown): readonly unknown[] {
  if (typeof content !== "object" || content === null || !("receivers" in content)) return [];
  return Array.isArray(content.receivers) ? content.receivers : [];
}

/** A receiver is a name, its manners, and what the notifier of its kind needs. */
function readReceiver(entry: unknown, index: number, issues: Issue[]): ReceiverConfig[] {
  const path: Path = ["receivers", index];
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    issues.push({ path, message: "expected a receiver with a name and a kind" });
    return [];
  }
  const { name, quietHours, throttle, ...rest } = entry as Record<string, unknown>;
  const isOff = throttle === "none";
  const manners = Receiver.safeParse({
    name,
    quietHours,
    ...(throttle !== undefined && !isOff && { throttle }),
  });
  const notifier = NotifierConfig.safeParse(rest);
  for (const [result, schema] of [
    [manners, Receiver],
    [notifier, NotifierConfig],
  ] as const) {
    if (result.success) continue;
    const found = describeIssues(result.error, schema, entry);
    issues.push(...found.map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
  }
  if (!manners.success || !notifier.success) return [];
  const usual = notifier.data.kind === "webhook" ? null : STORM_THROTTLE;
  return [
    {
      ...manners.data,
      throttle: isOff ? null : (manners.data.throttle ?? usual),
      notifier: notifier.data,
    },
  ];
}

/** Slack posts presses to an address, unless it has a socket. */
function checkButtons(
  { web }: z.output<typeof Config>,
  receivers: readonly ReceiverConfig[],
  issues: Issue[],
): void {
  receivers.forEach(({ notifier }, index) => {
    if (notifier.kind !== "slack" || notifier.signingSecret === undefined) return;
    if (notifier.appToken !== undefined || web.publicUrl !== undefined) return;
    issues.push({
      path: ["receivers", index, "signingSecret"],
      message:
        "buttons over HTTP need web.publicUrl, for Slack posts to <web.publicUrl>/slack/interactions; buttons over Socket Mode need appToken instead, and no address",
    });
  });
}

/** Names that routes and digests use have to be names of receivers. */
function checkNames(
  config: z.output<typeof Config>,
  receivers: readonly ReceiverConfig[],
  issues: Issue[],
): void {
  const names = receivers.map((receiver) => receiver.name);
  names.forEach((name, index) => {
    if (names.indexOf(name) !== index)
      issues.push({ path: ["receivers", index, "name"], message: `there are two receivers "${name}"` });
  });
  const check = (path: Path, used: readonly string[], known = names) => {
    used.forEach((name, index) => {
      if (known.includes(name)) return;
      const suggestion = closestWord(name, known);
      issues.push({
        path: [...path, "receivers", index],
        message: `there is no receiver "${name}"`,
        ...(suggestion === undefined ? {} : { suggestion }),
      });
    });
  };
  const checkRoutes = (path: Path, routes: readonly RouteConfig[], around: readonly string[]) => {
    routes.forEach((route, index) => {
      // What is taken over from the route around it is told of there.
      if (route.receivers !== around) check([...path, index], route.receivers);
      checkRoutes([...path, index, "routes"], route.routes, route.receivers);
    });
  };
  checkRoutes(["routes"], config.routes, []);
  config.digests.forEach((digest, index) => {
    check(
      ["digests", index],
      digest.receivers.map(({ name }) => name),
    );
  });
  issues.push(...digestClashes(config.digests));
  check(["operator"], config.operator.receivers ?? []);
  checkEscalations(config, names, issues, check);
}

/** Steps lead to receivers or rotations, so a name may be only one of the two. */
function checkEscalations(
  { escalations, rotations }: z.output<typeof Config>,
  names: readonly string[],
  issues: Issue[],
  check: (path: Path, used: readonly string[], known?: string[]) => void,
): void {
  const known = [...names, ...rotations.map((rotation) => rotation.name)];
  rotations.forEach((rotation, index) => {
    if (known.indexOf(rotation.name) !== names.length + index)
      issues.push({
        path: ["rotations", index, "name"],
        message: `"${rotation.name}" is the name of another rotation or of a receiver`,
      });
    check(["rotations", index], rotation.receivers);
  });
  escalations.forEach((escalation, index) => {
    escalation.steps.forEach((step, at) => {
      check(["escalations", index, "steps", at], step.receivers, known);
    });
  });
}

/** What the environment says about where things run; everything else stands in `earshot.yaml`. */
export interface Surroundings {
  readonly databaseUrl: string | null;
  readonly redisUrl: string | null;
  /** Null: each program has its own. */
  readonly logLevel: string | null;
  /** Where embedded parts keep what they store. */
  readonly home: string;
  readonly configFile: string;
}

export function readSurroundings(env: NodeJS.ProcessEnv): Surroundings {
  return {
    databaseUrl: env["DATABASE_URL"] || null,
    redisUrl: env["REDIS_URL"] || null,
    logLevel: env["LOG_LEVEL"] || null,
    home: env["EARSHOT_HOME"] || ".earshot",
    configFile: env["EARSHOT_CONFIG"] || "earshot.yaml",
  };
}
