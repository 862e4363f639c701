import { z } from "zod";

/** Slack's code for what is wrong with a message, or null when Slack would take it. */
export function faultOfMessage(text: string, blocks: readonly unknown[]): string | null {
  if (text === "" && blocks.length === 0) return "no_text";
  if (blocks.length > 50) return "invalid_blocks";
  // Not documented; seen from 11,341 characters on, usually at twelve to thirteen thousand.
  if (JSON.stringify(blocks).length > 12_000) return "msg_blocks_too_long";
  return blocks.every((block) => Block.safeParse(block).success) ? null : "invalid_blocks";
}

const text = (limit: number) => z.string().min(1).max(limit);
const PlainText = (limit: number) =>
  z.strictObject({ type: z.literal("plain_text"), text: text(limit), emoji: z.boolean().optional() });
const Mrkdwn = (limit: number) =>
  z.strictObject({ type: z.literal("mrkdwn"), text: text(limit), verbatim: z.boolean().optional() });
const Text = (limit: number) => z.discriminatedUnion("type", [PlainText(limit), Mrkdwn(limit)]);
const Url = z.url({ protocol: /^https?$/ }).max(3000);
const block_id = z.string().max(255).optional();

const Image = z.strictObject({ type: z.literal("image"), image_url: Url, alt_text: text(2000) });
const Button = z.strictObject({
  type: z.literal("button"),
  text: PlainText(75),
  action_id: z.string().max(255).optional(),
  url: Url.optional(),
  value: z.string().max(2000).optional(),
  style: z.enum(["primary", "danger"]).optional(),
});

const Style = z.record(z.enum(["bold", "italic", "strike", "code"]), z.boolean().optional()).optional();
const Inline = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: text(3000), style: Style }),
  z.strictObject({ type: z.literal("link"), url: Url, text: z.string().optional(), style: Style }),
  z.strictObject({ type: z.literal("emoji"), name: text(100) }),
]);
const RichPart = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("rich_text_section"), elements: z.array(Inline) }),
  z.strictObject({ type: z.literal("rich_text_quote"), elements: z.array(Inline) }),
  z.strictObject({ type: z.literal("rich_text_preformatted"), elements: z.array(Inline) }),
  z.strictObject({
    type: z.literal("rich_text_list"),
    style: z.enum(["bullet", "ordered"]),
    elements: z.array(z.strictObject({ type: z.literal("rich_text_section"), elements: z.array(Inline) })),
  }),
]);

const Block = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("header"), text: PlainText(150), block_id }),
  z.strictObject({ type: z.literal("divider"), block_id }),
  z.strictObject({
    type: z.literal("section"),
    text: Text(3000).optional(),
    fields: z.array(Text(2000)).max(10).optional(),
    accessory: z.discriminatedUnion("type", [Button, Image]).optional(),
    block_id,
  }),
  z.strictObject({
    type: z.literal("context"),
    elements: z
      .array(z.discriminatedUnion("type", [PlainText(2000), Mrkdwn(2000), Image]))
      .min(1)
      .max(10),
    block_id,
  }),
  z.strictObject({ type: z.literal("actions"), elements: z.array(Button).min(1).max(25), block_id }),
  z.strictObject({ type: z.literal("rich_text"), elements: z.array(RichPart).min(1), block_id }),
  z.strictObject({ type: z.literal("image"), image_url: Url, alt_text: text(2000), block_id }),
]);
