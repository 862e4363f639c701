import { cutText } from "../../lib/text.ts";
import type { CompiledQuery } from "./compile.ts";
import { matchedBy, matches } from "./evaluate.ts";
import type { Any, Expression, Near, Within } from "./expression.ts";
import type { Span } from "./problem.ts";
import type { Searchable } from "./search-text.ts";

/** The part of a query text for which a mention is not found. */
export interface QueryMiss extends Span {
  /**
   * `missing`: a word, phrase or hashtag is not there. `excluded`: something is there that NOT excludes. `apart`: the
   * words are there, and too far apart or in the other order. `field`: a field such as `site:` has another value.
   */
  readonly kind: "missing" | "excluded" | "apart" | "field";
  /** The part, as it stands in the query text. */
  readonly part: string;
  /** A sentence in words of the query; it repeats nothing of the mention. */
  readonly message: string;
}

/** Why the mention does not match: the first part that fails, of alternatives the nearest. Undefined if it matches. */
export function explainMiss({ text, expression }: CompiledQuery, mention: Searchable): QueryMiss | undefined {
  const judged = { ...mention, fits: remembering(mention) };
  return judged.fits(expression) ? undefined : missOf(expression, judged, text).miss;
}

/** A mention, and whether a part of the query matches it. */
interface JudgedMention extends Searchable {
  fits(part: Expression): boolean;
}

/** Each part is judged once: a miss is looked for at every level, and each level would judge all that is below it. */
function remembering(mention: Searchable): JudgedMention["fits"] {
  const known = new Map<Expression, boolean>();
  const fits = (part: Expression): boolean => {
    const before = known.get(part);
    if (before !== undefined) return before;
    const fitting = judge(part);
    known.set(part, fitting);
    return fitting;
  };
  return fits;

  function judge(part: Expression): boolean {
    switch (part.kind) {
      case "not":
        return !fits(part.of);
      case "all":
        return part.of.every(fits);
      case "any":
        return part.of.some(fits);
      default:
        return matches(part, mention);
    }
  }
}

/** `distance`: how many parts fail. */
interface RankedMiss {
  readonly miss: QueryMiss;
  readonly distance: number;
}

function missOf(expression: Expression, mention: JudgedMention, query: string): RankedMiss {
  switch (expression.kind) {
    case "term": {
      const where = expression.where === "title" ? "found" : "in the text";
      return found("missing", expression, query, (part) => `${part} is not ${where}.`);
    }
    case "field":
      return found(
        "field",
        expression,
        query,
        (part) => `${part} does not fit, or is not known of the mention.`,
      );
    case "not": {
      const inner = matchedPart(expression.of, mention);
      return found("excluded", inner, query, (part) => `${part} fits, and the query excludes it (NOT).`);
    }
    case "all": {
      const misses = expression.of
        .filter((each) => !mention.fits(each))
        .map((each) => missOf(each, mention, query));
      return { ...first(misses), distance: misses.reduce((sum, { distance }) => sum + distance, 0) };
    }
    case "any":
      return ofAlternatives(expression, mention, query);
    case "near":
      return ofNear(expression, mention, query);
    case "within":
      return ofWithin(expression, mention, query);
  }
}

/** Of terms alone all are named, because none is nearer than another. */
function ofAlternatives(any: Any, mention: JudgedMention, query: string): RankedMiss {
  if (any.of.every(({ kind }) => kind === "term"))
    return found("missing", any, query, () => {
      const parts = any.of.map((each) => partOf(each, query));
      const more = parts.length > MOST_NAMED ? ` and ${parts.length - MOST_NAMED} more` : "";
      return `None of ${parts.slice(0, MOST_NAMED).join(", ")}${more} is in the text.`;
    });
  const misses = any.of.map((each) => missOf(each, mention, query));
  return misses.reduce((best, each) => (each.distance < best.distance ? each : best), first(misses));
}

const MOST_NAMED = 10;

function ofNear(near: Near, mention: JudgedMention, query: string): RankedMiss {
  for (const side of [near.left, near.right]) if (!mention.fits(side)) return missOf(side, mention, query);
  return found("apart", near, query, () => {
    const [left, right] = [partOf(near.left, query), partOf(near.right, query)];
    const order = near.forward ? `, or not in this order` : "";
    return `${left} and ${right} are both there, but more than ${near.distance} words apart${order}.`;
  });
}

function ofWithin(within: Within, mention: JudgedMention, query: string): RankedMiss {
  for (const { expression, times } of within.of) {
    if (!mention.fits(expression)) return missOf(expression, mention, query);
    const there = times === 1 ? 1 : (matchedBy(expression, mention)?.length ?? 0);
    if (there < times)
      return found(
        "missing",
        expression,
        query,
        (part) => `${part} is there ${there} times, ${times} are needed.`,
      );
  }
  return found("apart", within, query, (part) => `The words of ${part} are there, but too far apart.`);
}

/** The smallest part of a matching expression that matches by itself. */
function matchedPart(expression: Expression, mention: JudgedMention): Expression {
  if (expression.kind !== "any") return expression;
  const part = expression.of.find((each) => mention.fits(each));
  return part === undefined ? expression : matchedPart(part, mention);
}

function found(
  kind: QueryMiss["kind"],
  { start, end }: Span,
  query: string,
  message: (part: string) => string,
): RankedMiss {
  const part = partOf({ start, end }, query);
  return { miss: { kind, start, end, part, message: message(part) }, distance: 1 };
}

function partOf({ start, end }: Span, query: string): string {
  return cutText(query.slice(start, end), 80);
}

function first(misses: readonly RankedMiss[]): RankedMiss {
  const [one] = misses;
  if (one === undefined) throw new Error("an expression that does not match has a part that fails");
  return one;
}
