import type { FieldTest } from "./fields/define-field.ts";
import type { Span } from "./problem.ts";

/** A parsed query. Chains are flat, so depth is that of the brackets, which is limited. */
export type Expression = Term | All | Any | Not | Near | Within | FieldExpression;

/** Words next to each other: a word, a phrase, a hashtag, an emoji, `{BT}`. */
export interface Term extends Span {
  readonly kind: "term";
  readonly pieces: readonly Piece[];
  /** Signs right before the first word and right after the last one. With no pieces, `lead` is all there is. */
  readonly lead: string;
  readonly trail: string;
  /** Found in title and text, or in the title alone. */
  readonly where: "anywhere" | "title";
}

export interface Piece {
  readonly word: WordPattern;
  /** Signs required between the piece before and this one; none: any. */
  readonly signs: string;
}

/** How one word is compared. `folded` is what any word that fits is, or begins with, once it is folded. */
export type WordPattern =
  | { readonly kind: "plain"; readonly folded: string }
  /** Written with accents: only the same spelling matches. */
  | { readonly kind: "accented"; readonly folded: string; readonly lower: string }
  /** In braces: upper case counts. `spelled` without accents, or with the accents that were asked for. */
  | { readonly kind: "cased"; readonly folded: string; readonly spelled: string; readonly accented: boolean }
  | {
      readonly kind: "glob";
      /** The text before the first wildcard. */
      readonly folded: string;
      readonly glob: string;
      readonly form: "folded" | "lower" | "cased";
    };

interface All extends Span {
  readonly kind: "all";
  readonly of: readonly Expression[];
}

export interface Any extends Span {
  readonly kind: "any";
  readonly of: readonly Expression[];
}

export interface Not extends Span {
  readonly kind: "not";
  readonly of: Expression;
}

export interface Near extends Span {
  readonly kind: "near";
  readonly left: Expression;
  readonly right: Expression;
  /** Most words in between. */
  readonly distance: number;
  /** Left comes first. */
  readonly forward: boolean;
}

/** All of them, any two with at most `distance` words in between. One word may stand for two that both fit it. */
export interface Within extends Span {
  readonly kind: "within";
  readonly of: readonly { readonly expression: Expression; readonly times: number }[];
  readonly distance: number;
}

export interface FieldExpression extends Span {
  readonly kind: "field";
  readonly test: FieldTest;
}

/** The expressions that this one is made of, one level down. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "term":
    case "field":
      return [];
    case "not":
      return [expression.of];
    case "near":
      return [expression.left, expression.right];
    case "within":
      return expression.of.map((each) => each.expression);
    case "all":
    case "any":
      return expression.of;
  }
}
