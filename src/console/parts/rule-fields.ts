import type { RuleForm } from "#monitor";
import { type Html, html } from "../common/html.ts";
import type { RuleWords } from "../common/rule-view.ts";
import { SENTIMENTS } from "./mention-list.ts";

/** The fields of a rule. Every field is shown whatever is chosen, so that it works without scripts. */
export function ruleFields(form: RuleForm, words: RuleWords): Html {
  const text = (name: keyof RuleForm & string, label: string, more: FieldMore = {}) =>
    textField(name, label, String(form[name]), more);
  return html`${text("title", "Title", { example: "Refunds", most: 80 })}
${text("description", "What somebody who gets the alert should know", { example: "Many people ask for their money back.", isRequired: true })}
<fieldset><legend>Which mentions</legend>
<div class="row">
<span class="choice-label" id="of-sentiment">Mood</span><span role="group" aria-labelledby="of-sentiment">${moods("sentiment", form.sentiment)}</span>
</div>
${text("keyword", "Words or phrases", { example: "refund*, money back" })}
<details class="more-fields"${hasMore(form) && html` open`}><summary>More conditions</summary>
<div class="fields">${text("category", "Categories", { list: words.categories })}${text("tag", "Tags", { list: words.tags })}
${text("author", "Authors", { example: "@reuters, *news" })}${text("followers", "Followers, at least", { example: "10000", isNumber: true })}
<label class="field">Verified <select name="verified">
<option value="">any</option>
<option value="yes"${form.verified === "yes" && html` selected`}>verified</option>
<option value="no"${form.verified === "no" && html` selected`}>not verified</option>
</select></label>
${text("language", "Languages", { list: words.languages, example: "en, de" })}
${text("country", "Countries", { list: words.countries, example: "DEU, Austria" })}
${text("pageType", "Page types", { list: words.pageTypes, example: "news, blog" })}
${text("queries", "Only these queries", { list: words.queries, example: "Acme*" })}</div></details></fieldset>
<fieldset><legend>When it alerts</legend>
<label class="field">Alert on <select name="counts">${(["mentions", "volume", "spike", "share"] as const).map(
    (one) => html`<option
  value="${one}"${one === form.counts && html` selected`}>${COUNTS[one]}</option>`,
  )}</select></label>
<div class="fields" data-counts="volume spike share">${text("atLeast", "At least", { example: "20; of a share: 40%" })}<span
  data-counts="volume share">${text("within", "Within", { example: "30m", list: ["15m", "30m", "1h", "2h"] })}</span>
<label class="field" data-counts="volume spike">Count <select name="unit">${(
    ["mentions", "authors", "stories"] as const
  ).map(
    (one) => html`<option
  value="${one}"${one === form.unit && html` selected`}>${one}</option>`,
  )}</select></label>
</div>
<div data-counts="share">
<div class="row">
<span class="choice-label" id="of-part">The share of</span><span role="group" aria-labelledby="of-part">${moods("of", form.of)}</span>
</div>
<div
  class="fields">${text("among", "Once there are so many", { example: "30", isNumber: true })}
${text("aboveUsual", "And above the usual share by", { example: "15%" })}</div>
</div>
<div class="fields">
<span data-counts="volume spike share">${text("for", "It must stay so for", { example: "10m" })}</span><span
  data-counts="mentions">${text("groupBy", "One alert for each", { example: "author, story", list: ["author", "story", "category", "domain"] })}</span>
${text("over", "Resolved after quiet", { example: "6h" })}</div>
</fieldset>
<fieldset><legend>How urgent</legend><div class="fields">
<label class="field">Severity at first <select name="severity">${(
    ["info", "warning", "critical"] as const
  ).map(
    (one) => html`<option
  value="${one}"${one === form.severity && html` selected`}>${one}: ${SEVERITIES[one]}</option>`,
  )}</select></label>
${text("warningFrom", "Warning from", { example: "50" })}${text("criticalFrom", "Critical from", { example: "200" })}<span
  data-counts="volume spike">${text("criticalWithin", "Critical: within", { example: "30m", list: ["30m", "1h"] })}</span>
</div>
</fieldset>`;
}

interface FieldMore {
  readonly example?: string;
  /** Words to choose from. */
  readonly list?: readonly string[];
  readonly isNumber?: boolean;
  readonly isRequired?: boolean;
  readonly most?: number;
}

function textField(
  name: string,
  label: string,
  value: string,
  { example, list = [], isNumber, isRequired, most = 2_000 }: FieldMore,
): Html {
  const known = list.length > 0 ? html` list="words-${name}"` : null;
  return html`<label class="field">${label} <input name="${name}" value="${value}" maxlength="${most}" autocomplete="off"
  dir="auto"${known}${isNumber === true && html` inputmode="numeric"`}${
    isRequired === true && html` aria-required="true"`
  }${example !== undefined && html` placeholder="${example}"`}></label>${
    list.length > 0 &&
    html`<datalist id="words-${name}">${list.map((word) => html`<option value="${word}"></option>`)}</datalist>`
  }`;
}

function moods(name: string, chosen: readonly string[]): Html {
  return html`${SENTIMENTS.map(
    (one) =>
      html`<label class="choice"><input type="checkbox" name="${name}" value="${one}"${chosen.includes(one) && html` checked`}> ${one}</label> `,
  )}`;
}

function hasMore(form: RuleForm): boolean {
  const { category, tag, author, followers, verified, language, country, pageType, queries } = form;
  return [category, tag, author, followers, verified, language, country, pageType, queries].some(
    (one) => one !== "",
  );
}

const COUNTS = {
  mentions: "each such mention",
  volume: "many of them in a time",
  spike: "far more of them than usual",
  share: "a large share of them",
} as const;

const SEVERITIES = { info: "read it today", warning: "look now", critical: "wake somebody" } as const;
