import { z } from "zod";
import { Duration, formatDuration } from "../../lib/duration.ts";
import { DAY, MINUTE } from "../../lib/instant.ts";
import { TimeZone } from "../../lib/local-time.ts";
import { BUCKET_MS } from "../model/judging.ts";
import { listOf } from "./params.ts";
import { CountedUnit } from "./slice.ts";
import { WINDOWS } from "./spike/constants.ts";
import type { SpikeSettings } from "./spike/detector.ts";
import { gatesOf, SENSITIVITIES, significanceFor, significanceGate, TUNING } from "./spike/sensitivity.ts";

const WindowWidth = Duration.refine(
  (ms) => WINDOWS.some((width) => width * BUCKET_MS === ms),
  "expected one of 5m, 15m, 30m, 1h, 2h",
)
  .meta({ anyOf: [{ enum: WINDOWS.map((buckets) => formatDuration(buckets * BUCKET_MS)) }, {}] })
  .transform((ms) => ms / BUCKET_MS);

/** What a budget of false alarms allows beside it, for editors. */
const WITH_BUDGET = { properties: { sensitivity: { const: "any anomaly" }, repeats: false } } as const;

/** What a rule file says below `spike`. */
export const SpikeParams = z
  .strictObject({
    sensitivity: z
      .enum(SENSITIVITIES)
      .exactOptional()
      .describe(
        "remarkable finds what people would call remarkable, strict finds less, any anomaly finds everything that chance does not explain. Default: remarkable; any anomaly with a budget of false alarms.",
      ),
    atLeast: z
      .int()
      .min(1)
      .describe("A time with fewer mentions never opens an alert. Choose the least that matters."),
    authors: z.int().min(2).exactOptional().describe("And so many different authors, such as 10. 2 or more."),
    count: CountedUnit,
    windows: listOf(WindowWidth)
      .exactOptional()
      .describe("The lengths of time that are judged: 5m, 15m, 30m, 1h, 2h. Default: all of them."),
    cooldown: Duration.refine((ms) => ms >= 30 * MINUTE, "expected 30m or more")
      .prefault("3h")
      .describe("No second alert within this time, unless a second wave is larger. 30m or more."),
    oneFalseAlarmIn: Duration.refine((ms) => ms >= DAY, "expected a day or more")
      .exactOptional()
      .describe("How seldom chance alone may open an alert, for any anomaly. 1d or more. Example: 30d"),
    falseAlarmsPerDay: z
      .number()
      .positive()
      .max(1)
      .exactOptional()
      .describe("The same as oneFalseAlarmIn, as a number for each day. Example: 0.05"),
    repeats: z
      .enum(["alert"])
      .exactOptional()
      .describe(
        "alert: every burst opens an alert, however often similar ones come. Without it, recent bursts raise the threshold a little.",
      ),
    timezone: TimeZone.exactOptional().describe(
      "Whose hours and weekends count, such as Europe/Berlin. Default: that of the query.",
    ),
  })
  .refine(
    ({ sensitivity = "any anomaly", oneFalseAlarmIn, falseAlarmsPerDay }) =>
      (oneFalseAlarmIn === undefined && falseAlarmsPerDay === undefined) || sensitivity === "any anomaly",
    'a budget of false alarms goes with sensitivity "any anomaly" only: the others have fixed limits',
  )
  .refine(
    ({ oneFalseAlarmIn, falseAlarmsPerDay }) =>
      oneFalseAlarmIn === undefined || falseAlarmsPerDay === undefined,
    "oneFalseAlarmIn and falseAlarmsPerDay say the same: one of them is enough",
  )
  .refine(
    ({ sensitivity, oneFalseAlarmIn, falseAlarmsPerDay, repeats }) =>
      repeats === undefined ||
      (sensitivity !== "any anomaly" && oneFalseAlarmIn === undefined && falseAlarmsPerDay === undefined),
    'repeats goes with sensitivity "remarkable" or "strict" only: "any anomaly" knows no repeats',
  )
  .meta({
    dependencies: {
      oneFalseAlarmIn: WITH_BUDGET,
      falseAlarmsPerDay: {
        ...WITH_BUDGET,
        properties: { ...WITH_BUDGET.properties, oneFalseAlarmIn: false },
      },
      repeats: { properties: { sensitivity: { enum: ["remarkable", "strict"] } } },
    },
    description:
      "Far more mentions than usual at this hour of the week; it learns by itself. Example: { atLeast: 20 }",
  });
export type SpikeParams = z.output<typeof SpikeParams>;

/** The limits of a severity step of `spike`; `within` needs a number next to it. */
export const SpikeStepLimits = z
  .strictObject({
    atLeast: z.int().min(1).exactOptional().describe("This number or more."),
    within: WindowWidth.transform((buckets) => buckets * BUCKET_MS)
      .exactOptional()
      .describe("The time in which they are counted: 5m, 15m, 30m, 1h or 2h. Default: the one that fires."),
    score: z.number().positive().exactOptional().describe("How many times its usual variation, such as 10."),
  })
  .refine((step) => step.atLeast !== undefined || step.score !== undefined, "expected atLeast or score")
  .refine(
    (step) => step.within === undefined || step.atLeast !== undefined || step.score === undefined,
    "within goes with atLeast: how many in that time",
  )
  .meta({
    anyOf: [{ required: ["atLeast"] }, { required: ["score"] }],
    dependencies: { within: ["atLeast"] },
  });

/** What the detector makes of it. */
export function settingsOf(params: SpikeParams): SpikeSettings {
  const {
    sensitivity = "remarkable",
    atLeast,
    cooldown,
    oneFalseAlarmIn,
    falseAlarmsPerDay,
    windows,
    repeats,
  } = params;
  const every = oneFalseAlarmIn ?? (falseAlarmsPerDay === undefined ? undefined : DAY / falseAlarmsPerDay);
  return {
    gates: every === undefined ? gatesOf(sensitivity) : significanceGate(significanceFor(every)),
    cooldownBuckets: Math.ceil(cooldown / BUCKET_MS),
    atLeast,
    ...(repeats === "alert" && { tuning: EVERY_BURST }),
    ...(windows !== undefined && {
      takesPart: (window) => windows.some((width) => width === WINDOWS[window]),
    }),
  };
}

/** Past waves do not raise the gates. */
const EVERY_BURST = Object.freeze({ ...TUNING, waveWeight: 0 });
