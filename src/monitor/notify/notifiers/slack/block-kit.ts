import { withoutHalfWord } from "../../../../lib/text.ts";

/** The part of Slack's Block Kit that Earshot uses. */
export type Block = HeaderBlock | SectionBlock | ContextBlock | ActionsBlock | RichTextBlock | ImageBlock;

/**
 * Builds blocks that Slack accepts, whatever the input: each constructor keeps the limits of its block, an empty text
 * gives no block, and `verbatim` keeps Slack from linking text that only looks like an address or a channel.
 */
export const blockKit = {
  header: (text: string): HeaderBlock[] =>
    text === "" ? [] : [{ type: "header", text: plainText(text, 150) }],

  section: (mrkdwn: string): SectionBlock[] =>
    mrkdwn === ""
      ? []
      : [{ type: "section", text: { type: "mrkdwn", text: cutMrkdwn(mrkdwn, 3000), verbatim: true } }],

  context: (mrkdwn: string): ContextBlock[] =>
    mrkdwn === ""
      ? []
      : [{ type: "context", elements: [{ type: "mrkdwn", text: cutMrkdwn(mrkdwn, 2000), verbatim: true }] }],

  richText: (parts: RichTextPart[]): RichTextBlock[] => {
    const elements = parts.map(withoutEmptyTexts).filter((part) => part.elements.length > 0);
    return elements.length === 0 ? [] : [{ type: "rich_text", elements }];
  },

  /** A picture that was uploaded before. */
  image: (fileId: string | null, altText: string): ImageBlock[] =>
    fileId === null
      ? []
      : [{ type: "image", slack_file: { id: fileId }, alt_text: cutPlain(altText || "chart", 2000) }],

  /** Slack sends `id` back with every click. */
  actions: (elements: ActionElement[], id?: string): ActionsBlock[] =>
    elements.length === 0
      ? []
      : [
          {
            type: "actions",
            ...(id !== undefined && { block_id: id.slice(0, 255) }),
            elements: elements.slice(0, 25),
          },
        ],

  linkButton: (text: string, url: string | null): Button[] =>
    url === null || url.length > 3000
      ? []
      : [{ type: "button", action_id: "open-in-earshot", text: plainText(text, 75), url }],

  button: (
    actionId: string,
    text: string,
    more: { readonly style?: "primary" | "danger"; readonly confirm?: Confirmation } = {},
  ): Button => ({
    type: "button",
    action_id: actionId,
    text: plainText(text, 75),
    ...(more.style !== undefined && { style: more.style }),
    ...(more.confirm !== undefined && { confirm: confirmation(more.confirm) }),
  }),

  /** Choices of at most 100, each a name and the value that comes back. */
  select: (
    actionId: string,
    placeholder: string,
    options: readonly { readonly text: string; readonly value: string }[],
  ): Select => ({
    type: "static_select",
    action_id: actionId,
    placeholder: plainText(placeholder, 150),
    options: options
      .slice(0, 100)
      .map(({ text, value }) => ({ text: plainText(text, 75), value: value.slice(0, 150) })),
  }),

  /** Choose a person of the workspace. */
  userSelect: (actionId: string, placeholder: string): UserSelect => ({
    type: "users_select",
    action_id: actionId,
    placeholder: plainText(placeholder, 150),
  }),
};

function plainText(text: string, limit: number): PlainText {
  return { type: "plain_text", text: cutPlain(text, limit), emoji: false };
}

function confirmation({ title, text, yes, no }: Confirmation): ConfirmationObject {
  return {
    title: plainText(title, 100),
    text: plainText(text, 300),
    confirm: plainText(yes, 30),
    deny: plainText(no, 30),
  };
}

/** Asked before a click counts. */
interface Confirmation {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  readonly no: string;
}

/** Slack shows rich text as it is and looks for no mention, link or formatting in it. */
export interface RichTextPart {
  type: "rich_text_section" | "rich_text_quote";
  elements: RichTextElement[];
}
export type RichTextElement =
  | { type: "text"; text: string; style?: { bold?: boolean } }
  | { type: "link"; url: string; text: string; style?: { bold?: boolean } };

interface PlainText {
  type: "plain_text";
  text: string;
  emoji: boolean;
}
interface Mrkdwn {
  type: "mrkdwn";
  text: string;
  verbatim: boolean;
}
interface HeaderBlock {
  type: "header";
  text: PlainText;
}
interface SectionBlock {
  type: "section";
  text: Mrkdwn;
}
interface ContextBlock {
  type: "context";
  elements: Mrkdwn[];
}
interface ActionsBlock {
  type: "actions";
  block_id?: string;
  elements: ActionElement[];
}
export type ActionElement = Button | Select | UserSelect;
interface Button {
  type: "button";
  action_id: string;
  text: PlainText;
  url?: string;
  style?: "primary" | "danger";
  confirm?: ConfirmationObject;
}
interface Select {
  type: "static_select";
  action_id: string;
  placeholder: PlainText;
  options: { text: PlainText; value: string }[];
}
interface UserSelect {
  type: "users_select";
  action_id: string;
  placeholder: PlainText;
}
interface ConfirmationObject {
  title: PlainText;
  text: PlainText;
  confirm: PlainText;
  deny: PlainText;
}
interface ImageBlock {
  type: "image";
  slack_file: { id: string };
  alt_text: string;
}
interface RichTextBlock {
  type: "rich_text";
  elements: RichTextPart[];
}

/**
 * The first blocks that fit into one message. Slack refuses the whole message if its blocks together are too long. The
 * limit is not documented (seen from 11,300 characters on), so this stays well below.
 */
export function fitBlocks(blocks: readonly Block[]): Block[] {
  const kept: Block[] = [];
  let size = 0;
  for (const block of blocks.slice(0, 50)) {
    size += JSON.stringify(block).length;
    if (size > MAX_MESSAGE) break;
    kept.push(block);
  }
  return kept;
}

const MAX_MESSAGE = 9_500;

/** Slack refuses a whole message for one empty text in it. */
function withoutEmptyTexts({ type, elements }: RichTextPart): RichTextPart {
  return { type, elements: elements.filter(({ text }) => text !== "") };
}

/**
 * Slack's limits count UTF-16 units, a reader counts characters: keeps as many whole characters as fit. A quotation that
 * is cut off still ends, so that nobody takes a stranger's number for ours.
 */
function cutPlain(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const fits = wholeCharacters(text, limit - 2);
  const head = withoutHalfWord(fits, text.slice(fits.length, fits.length + 1));
  return head.lastIndexOf("“") <= head.lastIndexOf("”") ? `${head}…` : `${head}…”`;
}

/** Cuts between lines, so that no entity, link or bold mark breaks; a single line that is too long loses its marks. */
function cutMrkdwn(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = text.lastIndexOf("\n", limit - 2);
  if (end > 0) return `${text.slice(0, end)}\n…`;
  const head = wholeCharacters(text, limit - 1);
  return `${head.replace(/(&[a-z]*|<[^>]*)$/, "").replaceAll("*", "")}…`;
}

/** The characters, as a reader counts them, that fit into so many units. */
function wholeCharacters(text: string, room: number): string {
  let end = 0;
  for (const { index, segment } of CHARACTERS.segment(text.slice(0, room + LONGEST_CHARACTER))) {
    if (index + segment.length > room) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });
/** More than any family with all its joiners has. */
const LONGEST_CHARACTER = 64;
