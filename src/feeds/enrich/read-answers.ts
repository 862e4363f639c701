import type { Relevance } from "#listening-api";
import { cutText } from "../../lib/text.ts";
import { SENTIMENTS, type Sentiment } from "./sentiment/model-file.ts";

// Reads what a language model wrote. Pure, and strict: a line is a mark of ours with an answer, or it is nothing. A mark
// that is answered twice, in two ways, has no answer.

const LONGEST_REASON = 200;

/** The sentiment of each mark that has one, of one of three words; everything else counts as no answer. */
export function readSentiments(content: string, marks: readonly string[]): ReadonlyMap<string, Sentiment> {
  return readLines(content, marks, (rest) => {
    const word = rest.toLowerCase();
    return SENTIMENTS.find((one) => one === word);
  });
}

/** `k3f9 0.85 complains about a late flight`: the score from 0 to 1, and the reason, which may be missing. */
export function readRelevances(content: string, marks: readonly string[]): ReadonlyMap<string, Relevance> {
  return readLines(content, marks, (rest) => {
    const [, number, reason = ""] =
      /^(0(?:\.\d{1,6})?|1(?:\.0{1,6})?|\.\d{1,6})(?:\s+(.*))?$/.exec(rest) ?? [];
    if (number === undefined) return undefined;
    return { score: Number(number), reason: cutText(plain(reason), LONGEST_REASON) };
  });
}

function readLines<Answer>(
  content: string,
  marks: readonly string[],
  read: (rest: string) => Answer | undefined,
): ReadonlyMap<string, Answer> {
  const known = new Set(marks);
  const found = new Map<string, Answer>();
  const contradicted = new Set<string>();
  for (const line of withoutThoughts(content).split(/\r?\n/)) {
    const [mark = "", ...rest] = line.trim().split(/\s+/);
    const answer = known.has(mark) ? read(rest.join(" ")) : undefined;
    if (answer === undefined) continue;
    const before = found.get(mark);
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(answer)) contradicted.add(mark);
    found.set(mark, answer);
  }
  for (const mark of contradicted) found.delete(mark);
  return found;
}

/** Some models write down what they think before they answer, and Ollama leaves it in front of the answer. */
function withoutThoughts(content: string): string {
  if (!content.trimStart().startsWith("<think>")) return content;
  const end = content.indexOf("</think>");
  return end === -1 ? "" : content.slice(end + "</think>".length);
}

/** Without signs that change how text is shown. */
function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "").trim();
}
