import { z } from "zod";
import { type AlertMatch, LONGEST_SILENCE_MS } from "#monitor";
import { parseDuration } from "../../lib/duration.ts";
import { DAY, HOUR } from "../../lib/instant.ts";
import { WEEKDAYS } from "../../lib/local-time.ts";
import { WeeklyRange } from "../../lib/weekly-range.ts";

/** The content of the silence form: what it mutes, for how long, and whether only at certain times of the week. */
type ReadSilence =
  | {
      readonly ok: true;
      readonly match: AlertMatch;
      readonly comment: string;
      readonly lengthMs: number;
      readonly windows: readonly WeeklyRange[];
    }
  /** The reason, for the person who filled in the form. */
  | { readonly ok: false; readonly because: string };

/** Lengths for weekly silences: at least a week. */
export const RECURRING_LENGTHS = [7 * DAY, 30 * DAY, LONGEST_SILENCE_MS] as const;

export function readSilenceForm(body: unknown): ReadSilence {
  const parsed = SilenceForm.safeParse(body);
  if (!parsed.success) return { ok: false, because: whyNot(parsed.error) };
  const form = parsed.data;
  const label = form.label === "" ? null : /^([\w-]+)\s*=\s*(.+)$/.exec(form.label);
  if (form.label !== "" && label === null)
    return { ok: false, because: `a label is written as name=value, such as author=bot*` };
  const match: AlertMatch = {
    ...(form.query !== "" && { query: [form.query] }),
    ...(form.rule !== "" && { rule: [form.rule] }),
    ...(label !== null && { labels: { [label[1] ?? ""]: [label[2] ?? ""] } }),
    ...(form.severity !== "any" && { not: { severity: MILDER_THAN[form.severity] } }),
  };
  if (Object.keys(match).length === 0)
    return {
      ok: false,
      because: "give a query, a rule, a label or a severity: this form cannot silence everything",
    };
  const { comment } = form;
  if (form.from === "" && form.to === "")
    return { ok: true, match, comment, lengthMs: form.length, windows: [] };
  const window = WeeklyRange.safeParse({
    timezone: form.timezone,
    from: form.from,
    to: form.to,
    ...(form.days.length > 0 && { days: form.days }),
  });
  if (!window.success) return { ok: false, because: whyNot(window.error) };
  if (window.data.from === window.data.to)
    return { ok: false, because: "the times would be empty; for whole days write 00:00 to 24:00" };
  return { ok: true, match, comment, lengthMs: form.recurringLength, windows: [window.data] };
}

/** The first fault, with the field's name in the form. */
function whyNot(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${NAMES[String(issue?.path[0])] ?? "the form"}: ${issue?.message ?? "not understood"}`;
}

const NAMES: Readonly<Record<string, string>> = {
  query: "query",
  rule: "rule",
  label: "label",
  severity: "severity",
  comment: "because",
  timezone: "time zone",
  from: "from",
  to: "to",
  days: "days",
};

/** The mildest severity that is still sent. */
const MILDER_THAN = { "below-critical": "critical", "below-warning": "warning" } as const;

/** One that is too long is refused: without it the silence would mute more than was asked for. */
const text = (limit: number) =>
  z
    .string()
    .trim()
    .max(limit, { error: `at most ${limit} letters` })
    .default("");
const length = (otherwise: number) =>
  z
    .string()
    .transform((written) => parseDuration(written) ?? 0)
    .pipe(z.number().min(60_000).max(LONGEST_SILENCE_MS))
    .catch(otherwise);

const SilenceForm = z.object({
  query: text(200),
  rule: text(200),
  label: text(200),
  severity: z.enum(["any", "below-critical", "below-warning"]).default("any"),
  comment: text(300),
  length: length(4 * HOUR),
  // One checked box arrives as a string, several as an array.
  days: z.preprocess(
    (value) => (typeof value === "string" ? [value] : (value ?? [])),
    z.array(z.enum(WEEKDAYS)).max(7),
  ),
  from: text(5),
  to: text(5),
  timezone: text(60),
  recurringLength: length(30 * DAY),
});
