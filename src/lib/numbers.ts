/** `1698` → `1,698`, `84.7` → `85`, `2.94` → `2.9`, `0.0496` → `0.05`: as many digits as a reader can use. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size > 0 && size < 0.05) return String(Number(value.toPrecision(1)));
  if (size < 9.95 && !Number.isInteger(value)) return trimZero(value.toFixed(1));
  const whole = Math.round(value);
  // The library call takes a microsecond, and conditions format numbers for every bucket.
  return Math.abs(whole) < 1_000 ? String(whole) : whole.toLocaleString("en-US");
}

/** For computed numbers, not counts: `13733.9` → `13,700`. No model justifies more digits. */
export function formatExpected(value: number): string {
  return formatNumber(Math.abs(value) < 999.5 ? value : Number(value.toPrecision(3)));
}

/** A part of a whole, `0.5714` → `57%`. A few of many are `under 1%` and not none, all but a few `over 99%` and not all. */
export function formatShare(share: number): string {
  const percent = Math.round(share * 100);
  if (percent === 0 && share > 0) return "under 1%";
  return percent === 100 && share < 1 ? "over 99%" : `${percent}%`;
}

/** A share that people set, in percent, as they wrote it: `0.125` → `12.5`. */
export function inPercent(share: number): string {
  return String(Number((share * 100).toPrecision(6)));
}

function trimZero(text: string): string {
  return text.endsWith(".0") ? text.slice(0, -2) : text;
}

/** `1 mention`, `1,200 mentions`. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${formatNumber(n)} ${n === 1 ? one : many}`;
}

/** What is counted, with its number: `1 negative mention`, `62 authors of negative mentions`. */
export function countedSubject(n: number, subject: string): string {
  const one = subject.replace(/(?:different )?(mentions|authors|stories)/, (_, many) =>
    many === "stories" ? "story" : many.slice(0, -1),
  );
  return `${formatNumber(n)} ${n === 1 ? one : subject}`;
}
