import type { Field } from "./fields/field.ts";
import type { Span } from "./problem.ts";

/** The smallest parts of a query text. Comments are no lexemes. */
export type Lexeme = Span &
  (
    | { readonly kind: "open" | "close" | "and" | "or" | "not" }
    | { readonly kind: "near"; readonly distance: number; readonly forward: boolean }
    /** `~5`; `glued` to the text before it, as required. */
    | { readonly kind: "tilde"; readonly distance: number; readonly glued: boolean }
    | { readonly kind: "text"; readonly text: string; readonly form: TextForm }
    | { readonly kind: "field"; readonly field: Field }
    | { readonly kind: "range"; readonly text: string }
  );

export type TextForm = "word" | "phrase" | "braces";
