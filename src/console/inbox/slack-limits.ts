import { z } from "zod";

/** Slack's error code for a message, or null if Slack would accept it. */
export function faultOfMessage(text: string, blocks: readonly unknown[]): string | null {
  if (text === "" && blocks.length === 0) return "no_text";
  if (blocks.length > 50) return "invalid_blocks";
  // Not documented; seen from 11,341 characters on, usually at twelve to thirteen thousand.
  if (JSON.stringify(blocks).length > 12_000) return "msg_blocks_too_long";
  if (!blocks.every((block) => Block.safeParse(block).success)) return "invalid_blocks";
  return isNamedOnce(blocks) ? null : "invalid_blocks";
}

/** The files that blocks show. */
export function filesInBlocks(blocks: readonly unknown[]): readonly string[] {
  return blocks.flatMap((block) => {
    const parsed = Image.safeParse(block);
    return parsed.success && "slack_file" in parsed.data ? [parsed.data.slack_file.id] : [];
  });
}

/** A `block_id` names one block of a message, an `action_id` one element of a block. */
function isNamedOnce(blocks: readonly unknown[]): boolean {
  const rows = blocks.flatMap((block) => {
    const row = Row.safeParse(block);
    return row.success ? [row.data] : [];
  });
  const isUnique = (names: readonly (string | undefined)[]) => {
    const known = names.filter((name) => name !== undefined);
    return new Set(known).size === known.length;
  };
  return (
    isUnique(rows.map((row) => row.block_id)) &&
    rows.every((row) => isUnique((row.elements ?? []).map((element) => element.action_id)))
  );
}

const Row = z.object({
  block_id: z.string().optional(),
  elements: z.array(z.object({ action_id: z.string().optional() })).optional(),
});

const text = (limit: number) => z.string().min(1).max(limit);
const PlainText = (limit: number) =>
  z.strictObject({ type: z.literal("plain_text"), text: text(limit), emoji: z.boolean().optional() });
const Mrkdwn = (limit: number) =>
  z.strictObject({ type: z.literal("mrkdwn"), text: text(limit), verbatim: z.boolean().optional() });
const Text = (limit: number) => z.discriminatedUnion("type", [PlainText(limit), Mrkdwn(limit)]);
const Url = z.url({ protocol: /^https?$/ }).max(3000);
const block_id = z.string().max(255).optional();

const SlackFile = z.strictObject({ id: z.string().regex(/^F[A-Z0-9]{8,}$/) });
const image = { type: z.literal("image"), alt_text: text(2000), block_id };
const Image = z.union([
  z.strictObject({ ...image, image_url: Url }),
  z.strictObject({ ...image, slack_file: SlackFile }),
]);
const Confirm = z.strictObject({
  title: PlainText(100),
  text: Text(300),
  confirm: PlainText(30),
  deny: PlainText(30),
});
const Button = z.strictObject({
  type: z.literal("button"),
  text: PlainText(75),
  action_id: z.string().max(255).optional(),
  url: Url.optional(),
  value: z.string().max(2000).optional(),
  style: z.enum(["primary", "danger"]).optional(),
  confirm: Confirm.optional(),
});
const Select = z.strictObject({
  type: z.literal("static_select"),
  action_id: z.string().max(255).optional(),
  placeholder: PlainText(150),
  options: z
    .array(z.strictObject({ text: PlainText(75), value: text(150) }))
    .min(1)
    .max(100),
});
const UserSelect = z.strictObject({
  type: z.literal("users_select"),
  action_id: z.string().max(255).optional(),
  placeholder: PlainText(150),
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

const Block = z.union([
  z.strictObject({ type: z.literal("header"), text: PlainText(150), block_id }),
  z.strictObject({ type: z.literal("divider"), block_id }),
  z.strictObject({
    type: z.literal("section"),
    text: Text(3000).optional(),
    fields: z.array(Text(2000)).max(10).optional(),
    accessory: z.union([Button, Image]).optional(),
    block_id,
  }),
  z.strictObject({
    type: z.literal("context"),
    elements: z
      .array(z.union([PlainText(2000), Mrkdwn(2000), Image]))
      .min(1)
      .max(10),
    block_id,
  }),
  z.strictObject({
    type: z.literal("actions"),
    elements: z
      .array(z.discriminatedUnion("type", [Button, Select, UserSelect]))
      .min(1)
      .max(25),
    block_id,
  }),
  z.strictObject({ type: z.literal("rich_text"), elements: z.array(RichPart).min(1), block_id }),
  Image,
]);
