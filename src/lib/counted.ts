import { formatNumber } from "./format-number.ts";

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
