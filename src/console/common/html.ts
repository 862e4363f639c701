import { escapeHtml } from "../../lib/text.ts";
/**
 * Markup that is safe to send. Only `html` and `trustedHtml` create it, so plain text cannot be mistaken for it.
 */
export class Html {
  readonly #markup: string;
  constructor(markup: string) {
    this.#markup = markup;
  }
  toString(): string {
    return this.#markup;
  }
}

type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/**
 * A piece of a page: html`<p dir="auto">${text}</p>`. Escapes every value that is not `Html`; null, undefined and false
 * become empty. Accepts values in text and in double-quoted attributes, and throws anywhere else.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let markup = strings[0] ?? "";
  values.forEach((value, index) => {
    if (UNQUOTED.test(strings[index] ?? ""))
      throw new Error("a value in an attribute must be in double quotes");
    markup += render(value) + (strings[index + 1] ?? "");
  });
  return new Html(markup);
}

/** For markup that another part of Earshot has escaped. Never for anything from outside. */
export function trustedHtml(markup: string): Html {
  return new Html(markup);
}

function render(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Html) return value.toString();
  if (typeof value === "string") return escapeText(value);
  if (typeof value === "number") return String(value);
  return value.map(render).join("");
}

function escapeText(text: string): string {
  return escapeHtml(text).replaceAll(UNPRINTABLE, "\uFFFD");
}

/** The name of the attribute right before a value. */
const UNQUOTED = /\s[\w:-]+=$/;
/** Control characters of ASCII but white space. */
const UNPRINTABLE = /[^\P{Cc}\t\n\r\u0080-\u009F]/gu;
