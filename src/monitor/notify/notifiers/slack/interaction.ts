import { createHash, createHmac } from "node:crypto";
import { z } from "zod";
import { parseDuration } from "../../../../lib/duration.ts";
import { type Instant, MINUTE, SECOND } from "../../../../lib/instant.ts";
import { isSameText } from "../../../../lib/signed-text.ts";
import type { MentionCorrection } from "../../../model/mention.ts";
import { SILENCE_LENGTHS } from "../../../model/silence.ts";
import { escapeValue } from "../../../templates/escape.ts";
import { ACTION_IDS, alertOfBlock, readCorrection } from "./alert-blocks.ts";
import { createClient } from "./connect.ts";
import type { SlackConfig } from "./slack-config.ts";

/** A request as received, before any part of it is parsed. */
interface SignedRequest {
  readonly body: string;
  /** `X-Slack-Request-Timestamp`: seconds. */
  readonly timestamp: string;
  /** `X-Slack-Signature`: `v0=…`. */
  readonly signature: string;
}

/** A request outside this range may be a recorded one that is sent again. */
const MOST_OFF_MS = 5 * MINUTE;

/** Whether a Slack app's signing secret signed the request recently. The comparison takes constant time. */
export function isSignedBySlack(
  secret: string,
  { body, timestamp, signature }: SignedRequest,
  now: Instant,
): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp) * SECOND) > MOST_OFF_MS) return false;
  const right = createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex");
  return isSameText(signature, `v0=${right}`);
}

/** Somebody clicked one of our buttons, or chose something in a menu. */
export interface Interaction {
  /** The same if Slack sends it again. */
  readonly id: string;
  readonly alertId: string;
  readonly action: InteractionAction;
  readonly user: { readonly id: string; readonly name: string; readonly teamId: string };
  /** Where to send an answer that only this person sees, valid for half an hour; null if Slack gave none. */
  readonly responseUrl: string | null;
}

type InteractionAction =
  | { readonly do: "acknowledge" | "resolve" | "not-relevant" }
  | { readonly do: "silence"; readonly lengthMs: number }
  | { readonly do: "correct"; readonly correction: MentionCorrection }
  | { readonly do: "assign"; readonly userId: string };

type ReadInteraction =
  | { readonly outcome: "Pressed"; readonly interaction: Interaction }
  /** Nothing to do: a followed link, or another kind of interaction. */
  | { readonly outcome: "NotOurs" }
  /** Slack would not send this; `reason` says what is wrong, without quoting it. */
  | { readonly outcome: "Unfit"; readonly reason: string };

/** Parses an interaction. It is untrusted: only the fields checked here are used. */
export function readInteraction(payload: unknown): ReadInteraction {
  const kind = Kind.safeParse(payload);
  if (!kind.success) return { outcome: "Unfit", reason: "it has no type" };
  if (kind.data.type !== "block_actions") return { outcome: "NotOurs" };
  const parsed = BlockActions.safeParse(payload);
  if (!parsed.success) {
    const fields = parsed.error.issues.map((issue) => issue.path.join(".") || "it");
    return { outcome: "Unfit", reason: `unexpected shape: ${[...new Set(fields)].slice(0, 5).join(", ")}` };
  }
  const { user, team, channel, message, response_url: responseUrl, actions } = parsed.data;
  const [button] = actions;
  if (button === undefined || alertOfBlock(button.block_id) === null || button.action_id === LINK)
    return { outcome: "NotOurs" };
  const alertId = alertOfBlock(button.block_id) ?? "";
  if (!z.guid().safeParse(alertId).success) return { outcome: "Unfit", reason: "it has no valid alert id" };
  const action = actionOf(button);
  if (action === null) return { outcome: "Unfit", reason: "it has an unknown action" };
  const identity = [
    team?.id ?? "",
    user.id,
    channel?.id ?? "",
    message?.ts ?? "",
    button.action_id,
    button.action_ts,
  ];
  const id = createHash("sha256").update(JSON.stringify(identity)).digest("base64url");
  const name = user.name ?? user.username ?? user.id;
  return {
    outcome: "Pressed",
    interaction: {
      ...{ id, alertId, action, responseUrl: responseUrl ?? null },
      user: { id: user.id, name, teamId: team?.id ?? "" },
    },
  };
}

const LINK = "open-in-earshot";

function actionOf({
  action_id: actionId,
  selected_option: option,
  selected_user: userId,
}: Action): InteractionAction | null {
  switch (actionId) {
    case ACTION_IDS.acknowledge:
      return { do: "acknowledge" };
    case ACTION_IDS.resolve:
      return { do: "resolve" };
    case ACTION_IDS["not-relevant"]:
      return { do: "not-relevant" };
    case ACTION_IDS.assign:
      return userId === undefined ? null : { do: "assign", userId };
    case ACTION_IDS.silence: {
      const wanted = parseDuration(option?.value ?? "");
      const lengthMs = SILENCE_LENGTHS.find((known) => known === wanted);
      return lengthMs === undefined ? null : { do: "silence", lengthMs };
    }
    case ACTION_IDS.correct:
    case ACTION_IDS.categorize: {
      const correction = readCorrection(option?.value ?? "");
      return correction === null ? null : { do: "correct", correction };
    }
    default:
      return null;
  }
}

/** Somebody typed our command: `/earshot link mfrg-gzdf-mztw-q2lk`. */
export interface Command {
  readonly text: string;
  readonly user: Interaction["user"];
  readonly responseUrl: string | null;
}

/** Null: it is no command. It is untrusted, as an interaction is. */
export function readCommand(payload: unknown): Command | null {
  const parsed = SlashCommand.safeParse(payload);
  if (!parsed.success) return null;
  const { text, user_id: id, user_name: name, team_id: teamId, response_url: responseUrl } = parsed.data;
  return { text: text.trim(), user: { id, name: name ?? id, teamId }, responseUrl: responseUrl ?? null };
}

const UserId = z.string().regex(/^[UW][A-Z0-9]{1,30}$/);
const short = z.string().max(255);

const SlashCommand = z.object({
  command: z.string().startsWith("/").max(100),
  text: short.catch(""),
  user_id: UserId,
  user_name: short.optional(),
  team_id: short,
  response_url: z.url().max(2000).optional(),
});

const Kind = z.object({ type: z.string().max(100) });
const Action = z.object({
  action_id: short,
  block_id: short,
  action_ts: short,
  selected_option: z
    .object({ value: short })
    .nullish()
    .transform((option) => option ?? undefined),
  selected_user: UserId.nullish().transform((user) => user ?? undefined),
});
type Action = z.output<typeof Action>;
const BlockActions = z.object({
  user: z.object({ id: UserId, name: short.optional(), username: short.optional() }),
  team: z.object({ id: short }).nullish(),
  channel: z.object({ id: short }).nullish(),
  message: z.object({ ts: short }).nullish(),
  response_url: z.url().max(2000).optional(),
  actions: z.array(Action).min(1).max(25),
});

/** Shows one person, and nobody else, the result of their click. Failures are only logged: the action is done. */
export async function answerInteraction(
  responseUrl: string,
  text: string,
  { apiUrl }: Pick<SlackConfig, "apiUrl">,
): Promise<"answered" | "not-answered"> {
  if (!leadsToSlack(responseUrl, apiUrl)) return "not-answered";
  // It may contain names that people chose for themselves.
  const safe = escapeValue(text, "mrkdwn");
  const body = JSON.stringify({ response_type: "ephemeral", replace_original: false, text: safe });
  try {
    const answer = await fetch(responseUrl, {
      method: "POST",
      body,
      headers: { "content-type": "application/json; charset=utf-8" },
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.arrayBuffer();
    return answer.ok ? "answered" : "not-answered";
  } catch {
    return "not-answered";
  }
}

/** The address came in a request: it may lead to Slack only, never into our own network. */
function leadsToSlack(url: string, apiUrl: string): boolean {
  const { protocol, hostname, origin } = new URL(url);
  if (origin === new URL(apiUrl).origin) return true;
  return protocol === "https:" && (hostname === "hooks.slack.com" || hostname === "hooks.slack-gov.com");
}

const TIMEOUT_MS = 5_000;

/** The name of a person in the workspace; their id if Slack does not answer, so that nothing waits for it. */
export async function nameOfUser(
  userId: string,
  { token, apiUrl }: Pick<SlackConfig, "token" | "apiUrl">,
): Promise<string> {
  try {
    const { user } = await createClient(token, apiUrl, AbortSignal.timeout(PATIENCE_MS)).users.info({
      user: userId,
    });
    return user?.profile?.display_name || user?.real_name || user?.name || userId;
  } catch {
    return userId;
  }
}

const PATIENCE_MS = 1_500;
