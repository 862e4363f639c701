import { z } from "zod";
import { defineCondition } from "../define-condition.ts";
import { listOf } from "../params.ts";
import { oneOfWords } from "../word-predicate.ts";

const Code = z.string().regex(/^[a-zA-Z]{2}$/, "expected two letters of ISO 639-1, such as en");

/** `language: [en, de]`. */
export const language = defineCondition({
  type: "language",
  params: listOf(Code).describe("Languages: two letters of ISO 639-1, one or a list. Example: [en, de]"),
  compile: (codes) =>
    oneOfWords(
      "language",
      "its language",
      codes,
      (mention) => [mention.language],
      (code) => `in language ${code}`,
    ),
});
