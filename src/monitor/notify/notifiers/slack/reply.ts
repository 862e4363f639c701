import { z } from "zod";
import { startOf } from "../../../../lib/text.ts";

/** Somebody answered in a thread. */
export interface Reply {
  readonly channel: string;
  /** The message that the thread is below. */
  readonly thread: string;
  readonly ts: string;
  readonly text: string;
  readonly user: { readonly id: string; readonly teamId: string };
}

/**
 * What people write in threads, of the events of Slack. Null: no event, no reply, or written by a program, such as our
 * own. It is untrusted: only the fields checked here are used.
 */
export function readReply(payload: unknown): Reply | null {
  const parsed = MessageEvent.safeParse(payload);
  if (!parsed.success) return null;
  const { team_id: teamId, event } = parsed.data;
  const { channel, user, text, ts, thread_ts: thread } = event;
  if (thread === ts) return null;
  const words = startOf(plainText(text).trim(), LONGEST);
  return words === "" ? null : { channel, thread, ts, text: words, user: { id: user, teamId } };
}

const LONGEST = 4_000;
const Id = z.string().min(1).max(100);
const Ts = z.string().regex(/^\d{1,12}\.\d{1,8}$/);

/** A new message of a person: edits, deletes and messages of programs have a subtype or the id of a program. */
const MessageEvent = z.object({
  type: z.literal("event_callback"),
  team_id: Id,
  event: z.object({
    type: z.literal("message"),
    subtype: z.literal("thread_broadcast").optional(),
    bot_id: z.never().optional(),
    channel: Id,
    user: Id,
    text: z.string().max(50_000),
    ts: Ts,
    thread_ts: Ts,
  }),
});

/** Without Slack's own writing: `<https://a.example|here>` is an address, `<@U1>` a person. */
function plainText(text: string): string {
  return text
    .replaceAll(/<([^<>|]*)(?:\|([^<>]*))?>/g, (_, address: string, label: string | undefined) =>
      /^[@#!]/.test(address) ? `@${(label ?? address.slice(1)).replace(/^@/, "")}` : address,
    )
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
