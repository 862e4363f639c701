import { parseUrl } from "../../lib/parse-url.ts";
import { escapeHtml } from "../../lib/text.ts";
import { renderMrkdwn } from "./render-mrkdwn.ts";
import { type PressForm, renderSlackAction, type SlackAction } from "./render-slack-action.ts";

/**
 * Renders Block Kit as Slack would show it, as safe HTML with class names `slack-…`, without scripts or external
 * resources. Accepts anything: shows the name of unknown elements, and leaves out those without text. Shows `fallback`
 * (the message's `text`, mrkdwn) if there are no blocks. `fileUrl` returns the address of a Slack file, or null. With
 * `press`, buttons and selects work; without it they do nothing.
 */
export function renderSlackMessage(
  blocks: readonly unknown[],
  fallback = "",
  fileUrl: FileUrl = () => null,
  press: PressForm | null = null,
): string {
  const inside =
    blocks.length === 0
      ? paragraph("slack-section", renderMrkdwn(fallback))
      : blocks.map((block) => renderBlock(block, fileUrl, press)).join("");
  return `<div class="slack-message">${inside}</div>`;
}

type FileUrl = (fileId: string) => string | null;
export type Fields = Readonly<Record<string, unknown>>;

function renderBlock(block: unknown, fileUrl: FileUrl, press: PressForm | null): string {
  const fields = fieldsOf(block);
  switch (fields["type"]) {
    case "header":
      return `<h3 class="slack-header">${renderText(fields["text"])}</h3>`;
    case "section":
      return (
        paragraph("slack-section", renderText(fields["text"])) +
        listOf(fields["fields"])
          .map((field) => paragraph("slack-field", renderText(field)))
          .join("") +
        (fields["accessory"] === undefined ? "" : renderElement(fields["accessory"]))
      );
    case "context":
      return paragraph("slack-context", listOf(fields["elements"]).map(renderElement).join(" "));
    case "actions":
      return `<div class="slack-actions">${listOf(fields["elements"])
        .map((element) => renderUsable(element, textOf(fields["block_id"]), press))
        .join("")}</div>`;
    case "divider":
      return '<hr class="slack-divider">';
    case "rich_text":
      return `<div class="slack-rich-text">${listOf(fields["elements"]).map(renderRichPart).join("")}</div>`;
    case "image":
      return renderPicture(fields, fileUrl);
    default:
      return paragraph("slack-context", `[${escapeHtml(textOf(fields["type"]) || "unknown block")}]`);
  }
}

function renderPicture(fields: Fields, fileUrl: FileUrl): string {
  const url = fileUrl(textOf(fieldsOf(fields["slack_file"])["id"]));
  const alt = escapeHtml(textOf(fields["alt_text"]));
  return url === null
    ? paragraph("slack-context", renderElement(fields))
    : `<img class="slack-picture" src="${escapeHtml(url)}" alt="${alt}">`;
}

/** An element of a row of actions. Links and unknown elements are shown as in other blocks. */
function renderUsable(element: unknown, blockId: string, press: PressForm | null): string {
  const fields = fieldsOf(element);
  const type = TYPES.find((one) => one === fields["type"]);
  if (press === null || blockId === "" || type === undefined || linkable(fields["url"]) !== null)
    return renderElement(element);
  const label = renderText(type === "button" ? fields["text"] : fields["placeholder"]);
  const actionId = textOf(fields["action_id"]);
  const action: SlackAction = {
    blockId,
    actionId,
    type,
    label,
    style: styleOf(fields),
    confirm: fields["confirm"] === undefined ? null : confirmOf(fieldsOf(fields["confirm"])),
    options: listOf(fields["options"]).map((option) => ({
      text: plainOf(fieldsOf(option)["text"]),
      value: textOf(fieldsOf(option)["value"]),
    })),
  };
  return renderSlackAction(action, press);
}

const TYPES = ["button", "static_select", "users_select"] as const;

function confirmOf({ title, text, confirm }: Fields): SlackAction["confirm"] {
  return { title: plainOf(title), text: plainOf(text), yes: plainOf(confirm) || "Yes" };
}

function plainOf(text: unknown): string {
  return textOf(fieldsOf(text)["text"]);
}

function styleOf({ style }: Fields): string {
  return style === "primary" || style === "danger" ? ` is-${style}` : "";
}

function renderElement(element: unknown): string {
  const fields = fieldsOf(element);
  switch (fields["type"]) {
    case "static_select":
    case "users_select":
      return `<span class="slack-button slack-select">${renderText(fields["placeholder"])}${renderChoices(fields["options"])}</span>`;
    case "button": {
      const label = renderText(fields["text"]);
      const url = linkable(fields["url"]);
      return url === null
        ? `<span class="slack-button${styleOf(fields)}">${label}</span>`
        : `<a class="slack-button" href="${escapeHtml(url)}" rel="noopener noreferrer nofollow">${label}</a>`;
    }
    case "image":
      // Do not fetch the picture: that would show its host who reads what.
      return `[image: ${escapeHtml(textOf(fields["alt_text"]))}]`;
    default:
      return renderText(element);
  }
}

/** The choices of an inactive select, as text. */
function renderChoices(options: unknown): string {
  const names = listOf(options).map((option) => plainOf(fieldsOf(option)["text"]));
  return names.length === 0 ? "" : ` <span class="slack-choices">${escapeHtml(names.join(" · "))}</span>`;
}

function renderText(text: unknown): string {
  const fields = fieldsOf(text);
  const content = textOf(fields["text"]);
  return fields["type"] === "mrkdwn" ? renderMrkdwn(content) : escapeHtml(content);
}

function renderRichPart(part: unknown): string {
  const fields = fieldsOf(part);
  const elements = listOf(fields["elements"]);
  switch (fields["type"]) {
    case "rich_text_quote":
      return `<blockquote class="slack-quote">${elements.map(renderInline).join("")}</blockquote>`;
    case "rich_text_preformatted":
      return `<pre class="slack-pre">${elements.map(renderInline).join("")}</pre>`;
    case "rich_text_list": {
      const tag = fields["style"] === "ordered" ? "ol" : "ul";
      return `<${tag} class="slack-list">${elements.map((item) => `<li>${renderRichPart(item)}</li>`).join("")}</${tag}>`;
    }
    default:
      return `<div class="slack-rich-section">${elements.map(renderInline).join("")}</div>`;
  }
}

function renderInline(element: unknown): string {
  const fields = fieldsOf(element);
  if (fields["type"] === "emoji") return `:${escapeHtml(textOf(fields["name"]))}:`;
  if (fields["type"] !== "text" && fields["type"] !== "link") {
    return `<span class="slack-mention">@${escapeHtml(textOf(fields["type"]))}</span>`;
  }
  const url = fields["type"] === "link" ? linkable(fields["url"]) : null;
  const text = escapeHtml(textOf(fields["text"]) || textOf(fields["url"])).replaceAll("\n", "<br>");
  return styled(
    url === null ? text : `<a href="${escapeHtml(url)}" rel="noopener noreferrer nofollow">${text}</a>`,
    fields["style"],
  );
}

function styled(html: string, style: unknown): string {
  const styles = fieldsOf(style);
  return STYLES.reduce(
    (inner, [name, tag]) => (styles[name] === true ? `<${tag}>${inner}</${tag}>` : inner),
    html,
  );
}

const STYLES = [
  ["code", "code"],
  ["strike", "s"],
  ["italic", "em"],
  ["bold", "strong"],
] as const;

function linkable(url: unknown): string | null {
  const text = textOf(url);
  return /^https?:\/\//i.test(text) && parseUrl(text) !== null ? text : null;
}

function paragraph(name: string, html: string): string {
  return html === "" ? "" : `<p class="${name}">${html}</p>`;
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
