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

/** `0.5714` → `57%`. */
export function formatShare(share: number): string {
  return `${Math.round(share * 100)}%`;
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
