import { createHmac, randomBytes } from "node:crypto";
import { SECOND } from "../../lib/instant.ts";
import { readJson } from "../../lib/json.ts";
import { storableText } from "../../lib/text.ts";
import type { Interactivity, LocalInboxDeps, SlackInboxMessage } from "./inbox-store.ts";
import { type Fields, fieldsOf } from "./render-slack-message.ts";
import type { SlackWorkspace } from "./slack-workspace.ts";

/** A click on an element of a message. */
export interface ButtonPress {
  readonly messageId: string;
  readonly blockId: string;
  readonly actionId: string;
  /** Of a select. */
  readonly option?: string | undefined;
  /** Of a select of people. */
  readonly userId?: string | undefined;
  readonly by: { readonly id: string; readonly name: string };
}

export type PressResult =
  | { readonly outcome: "Taken" }
  /** A sentence for the user who clicked, as in Slack. */
  | { readonly outcome: "Refused"; readonly because: string };

interface PressDeps extends LocalInboxDeps {
  readonly interactivity: Interactivity | undefined;
  /** A secret address for answers to this interaction, known only to the app that gets it. */
  readonly responseUrl: (message: SlackInboxMessage) => string;
}

/** Does what Slack does on a click: posts a signed request to the app, and expects an answer within 3 s. */
export async function pressButton(deps: PressDeps, press: ButtonPress): Promise<PressResult> {
  const { interactivity, store } = deps;
  const url = interactivity?.url() ?? null;
  if (interactivity === undefined || url === null) return refused("nothing listens to buttons here");
  const message = await store.find(press.messageId);
  if (message?.kind !== "slack") return refused("the message is there no longer");
  const element = elementOf(message, press);
  const action = element === null ? null : actionOf(element, press);
  if (action === null) return refused("the message has no such button any more");
  const now = interactivity.wall.now();
  const payload = {
    type: "block_actions",
    user: { id: press.by.id, username: press.by.name, name: press.by.name, team_id: TEAM.id },
    api_app_id: "A0EARSHOT",
    team: TEAM,
    container: { type: "message", message_ts: message.ts, channel_id: message.channel, is_ephemeral: false },
    trigger_id: `${now}.${randomBytes(8).toString("hex")}`,
    channel: { id: message.channel, name: message.channelName },
    message: { type: "message", ts: message.ts, text: message.text, blocks: message.blocks },
    response_url: deps.responseUrl(message),
    actions: [
      {
        type: element?.["type"],
        block_id: press.blockId,
        action_id: press.actionId,
        action_ts: `${Math.floor(now / SECOND)}.${String(now % SECOND).padStart(3, "0")}000`,
        ...action,
      },
    ],
  };
  return post(url, JSON.stringify(payload), interactivity.signingSecret, String(Math.floor(now / SECOND)));
}

const TEAM = { id: "T0LOCAL", domain: "local" };

function elementOf({ blocks }: SlackInboxMessage, { blockId, actionId }: ButtonPress): Fields | null {
  const block = blocks.map(fieldsOf).find((one) => one["block_id"] === blockId);
  const elements = block?.["elements"];
  if (!Array.isArray(elements)) return null;
  return elements.map(fieldsOf).find((one) => one["action_id"] === actionId) ?? null;
}

/** The action payload of an element; null for a choice that the element does not offer. */
function actionOf(element: Fields, { option, userId }: ButtonPress): Fields | null {
  switch (element["type"]) {
    case "button":
      return { text: element["text"], ...(element["value"] !== undefined && { value: element["value"] }) };
    case "static_select": {
      const options = Array.isArray(element["options"]) ? element["options"].map(fieldsOf) : [];
      const chosen = options.find((one) => one["value"] === option);
      return chosen === undefined ? null : { selected_option: chosen };
    }
    case "users_select":
      return userId === undefined ? null : { selected_user: userId };
    default:
      return null;
  }
}

async function post(url: string, payload: string, secret: string, timestamp: string): Promise<PressResult> {
  const body = new URLSearchParams({ payload }).toString();
  const signature = createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex");
  try {
    const answer = await fetch(url, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "x-slack-request-timestamp": timestamp,
        "x-slack-signature": `v0=${signature}`,
      },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await answer.arrayBuffer();
    return answer.ok ? { outcome: "Taken" } : refused(`Earshot answered HTTP ${answer.status}`);
  } catch {
    return refused("Earshot did not answer within 3 seconds");
  }
}

const PATIENCE_MS = 3_000;

/** Stores an app's answer to the user who clicked, as a message below the one with the button. */
export async function keepAnswer(
  post: SlackWorkspace["post"],
  message: SlackInboxMessage,
  body: string,
): Promise<void> {
  const text = fieldsOf(readJson(body))["text"];
  if (typeof text !== "string" || text === "") return;
  await post(
    { id: message.channel, name: message.channelName },
    {
      threadTs: message.threadTs ?? message.ts,
      broadcast: false,
      ephemeral: true,
      text: storableText(text).slice(0, 3_000),
      blocks: [],
      metadata: null,
    },
  );
}

function refused(because: string): PressResult {
  return { outcome: "Refused", because };
}
