import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import {
  LONGEST_NOTE,
  type MentionKey,
  MOST_PRESSED,
  nameKey,
  noteMention,
  type Press,
  type PressResult,
  pressMentions,
  readTags,
  type Stores,
  undoPress,
} from "#monitor";
import { counted } from "../lib/numbers.ts";
import { storableText } from "../lib/text.ts";
import { asksName, mayAct } from "./auth/access.ts";
import { actorOf } from "./auth/audit.ts";
import type { Forms } from "./auth/forms.ts";
import type { Users } from "./auth/users.ts";
import { readAddress, withParameter } from "./common/address.ts";
import type { Times } from "./common/times.ts";
import { TypedText } from "./common/typed-text.ts";
import type { createFrames } from "./frames.ts";
import { describePress, noticeLine, type PressNotice, readKey, type WorkForm } from "./parts/workflow.ts";

/** With the longest names of as many mentions as one press takes. */
const MOST_BYTES = 500_000;

export interface WorkParts {
  readonly stores: Stores;
  /** Names that somebody may choose from. */
  readonly people: () => Promise<readonly string[]>;
  readonly forms: Forms;
  readonly times: Times;
  /** Whether people act on this console. */
  readonly hasActions: boolean;
}

/** What people do about mentions: by forms, which work without scripts, too. */
export function workRoutes(
  app: FastifyInstance,
  { stores, forms, times }: WorkParts,
  frames: ReturnType<typeof createFrames>,
): void {
  const ownForm = { preHandler: [...forms.check], bodyLimit: MOST_BYTES };

  app.post("/mentions/work", ownForm, async (request, reply) => {
    const form = Pressed.safeParse(request.body ?? {});
    const keys = form.success ? form.data.mention.flatMap((text) => readKey(text) ?? []) : [];
    if (!form.success || keys.length === 0) return refuse(request, reply, 400, "choose mentions first");
    const pressed = readPress(form.data, nameOf(request, form.data.by));
    if (typeof pressed === "string") return refuse(request, reply, 400, pressed);
    const by = actorOf(request, form.data.by);
    request.noted = { actor: by, target: targetOf(keys), detail: detailOf(pressed) };
    return answer(request, reply, await pressMentions({ stores, by, now: times.now() }, keys, pressed));
  });

  app.post("/mentions/undo", ownForm, async (request, reply) => {
    const form = Undone.safeParse(request.body ?? {});
    if (!form.success) return refuse(request, reply, 400, "there is nothing to undo");
    const by = actorOf(request, "");
    request.noted = { actor: by, target: form.data.press };
    return answer(request, reply, await undoPress({ stores, by, now: times.now() }, form.data.press));
  });

  app.post("/mentions/note", ownForm, async (request, reply) => {
    const form = Noted.safeParse(request.body ?? {});
    const key = form.success ? readKey(form.data.mention) : null;
    if (!form.success || key === null)
      return refuse(request, reply, 400, "a note needs words, of at most 4,000 letters");
    const { text, press, back } = form.data;
    const by = actorOf(request, form.data.by);
    // No words of it: a request to forget somebody changes notes, and never the audit log.
    request.noted = { actor: by, target: targetOf([key]), detail: counted(text.length, "letter") };
    const noted = await noteMention({ stores, by, now: times.now() }, key, { press, text });
    return noted.outcome === "Refused"
      ? refuse(request, reply, 409, noted.because)
      : reply.redirect(back, 303);
  });

  async function answer(request: FastifyRequest, reply: FastifyReply, result: PressResult) {
    if (result.outcome === "Refused") return refuse(request, reply, 409, result.because);
    const { back } = Back.parse(request.body);
    const { press, changed, gone } = result;
    if (isByScript(request)) {
      reply.header("hx-trigger", "worked");
      const notice = await readNotice(stores, changed === 0 ? "none" : press, gone);
      return frames.sendHtml(reply, noticeLine(notice, { token: forms.token(request), back }));
    }
    const shown = withParameter(back, "pressed", changed === 0 ? "none" : press);
    return reply.redirect(gone === 0 ? shown : withParameter(shown, "gone", String(gone)), 303);
  }

  function refuse(request: FastifyRequest, reply: FastifyReply, status: number, because: string) {
    if (!isByScript(request))
      return frames.sendProblem(
        request,
        reply,
        status,
        `Nothing was changed: ${because}`,
        "Go back to the page and try again.",
      );
    const notice = { sentence: `Nothing was changed: ${because}.`, fault: true, undo: null };
    const { back } = Back.parse(request.body ?? {});
    return frames.sendHtml(reply.code(status), noticeLine(notice, { token: forms.token(request), back }));
  }
}

/** What a page says after a press; `pressed` and `gone` are in its address. */
export async function readNotice(
  stores: Pick<Stores, "mentionWorkflow">,
  pressed: string | null,
  gone: number,
): Promise<PressNotice | null> {
  if (pressed === null) return null;
  const left =
    gone === 0 ? "" : ` ${counted(gone, "mention")} ${gone === 1 ? "is" : "are"} not stored any more.`;
  if (pressed === "none")
    return { sentence: `Nothing changed: it was so already.${left}`, fault: false, undo: null };
  const changes = await stores.mentionWorkflow.ofPress(pressed);
  const canUndo = changes[0]?.kind === "change";
  return { sentence: `${describePress(changes)}${left}`, fault: false, undo: canUndo ? pressed : null };
}

/** Of an address after a press. */
export const PressedQuestion = z.object({
  pressed: z
    .union([z.literal("none"), z.guid()])
    .nullable()
    .catch(null),
  gone: z.coerce.number().int().min(0).max(MOST_PRESSED).catch(0),
});

/** Everybody who has a user and has not ended. */
export async function readPeople(
  stores: Pick<Stores, "users">,
  { ofFile }: Pick<Users, "ofFile">,
): Promise<readonly string[]> {
  const stored = await stores.users.list();
  const going = stored.filter(({ endedAt }) => endedAt === null);
  return [...new Set([...ofFile, ...going].map(({ name }) => name))];
}

/** What a reader needs to act; null for one who may not. */
export async function workFormOf(
  request: FastifyRequest,
  { people, forms, hasActions }: Omit<WorkParts, "times">,
): Promise<WorkForm | null> {
  if (!hasActions || !mayAct(request)) return null;
  const names = await people();
  const back = ["pressed", "gone", "part"].reduce((url, name) => withParameter(url, name, null), request.url);
  return { token: forms.token(request), asksName: asksName(request), names, back };
}

/** Who "me" is: a user, or the name that somebody typed where several share a login. Null: nobody that we know. */
export function nameOf(request: FastifyRequest, typed = ""): string | null {
  const login = request.visitor?.user?.name ?? null;
  return asksName(request) && typed !== "" ? typed : login;
}

type PressForm = z.output<typeof Pressed>;

/** A sentence, if the press cannot be read. */
function readPress(form: PressForm, me: string | null): Press | string {
  const tags = readTags(form.tag);
  switch (form.do) {
    case "assign-me":
      return assignTo("me", me);
    case "assign":
      return form.to === "" ? "say who gets it" : assignTo(form.to, me);
    case "unassign":
      return { do: "assign", to: null };
    case "tag":
    case "untag":
      return tags.length === 0 ? "type a tag first" : { do: form.do, tags };
    case "typed":
      if (form.to !== "") return assignTo(form.to, me);
      return tags.length === 0 ? "choose what to do" : { do: "tag", tags };
    default:
      return { do: "status", status: form.do };
  }
}

function assignTo(to: string, me: string | null): Press | string {
  if (nameKey(to) !== "me") return { do: "assign", to };
  return me === null ? "type your name first" : { do: "assign", to: me };
}

/** No words of tags: they may name somebody who asks to be forgotten. */
function detailOf(pressed: Press): string {
  if (pressed.do === "assign") return pressed.to === null ? "unassign" : `assign to ${pressed.to}`;
  return pressed.do === "status" ? pressed.status : `${pressed.do} ${counted(pressed.tags.length, "tag")}`;
}

function targetOf(keys: readonly MentionKey[]): string {
  const named = keys.slice(0, 5).map(({ resourceId }) => resourceId.slice(0, 200));
  return keys.length > named.length
    ? `${named.join(", ")} and ${keys.length - named.length} more`
    : named.join(", ");
}

function isByScript({ headers }: FastifyRequest): boolean {
  return headers["hx-request"] === "true";
}

const Words = z.string().transform(storableText);
const Name = Words.pipe(z.string().trim().max(80)).catch("");
/** Of a list with a search of 1,000 letters, each of which may have nine signs in an address. */
const LONGEST_BACK = 12_000;
const Back = z.object({
  back: z
    .string()
    .max(LONGEST_BACK)
    .refine((address) => /^\/(?:mentions|why)(?:\?[\x21-\x7E]*)?$/.test(address))
    .transform((address) => {
      const { path, parameters } = readAddress(address);
      return parameters.size === 0 ? path : `${path}?${parameters}`;
    })
    .catch("/mentions"),
});
const Form = Back.extend({ by: Name });
const Keys = z.string().max(8_500);
const Pressed = Form.extend({
  do: z.enum([
    "typed",
    "assign-me",
    "assign",
    "unassign",
    "tag",
    "untag",
    "open",
    "in-progress",
    "done",
    "not-relevant",
  ]),
  mention: z.union([Keys.transform((one) => [one]), z.array(Keys).min(1).max(MOST_PRESSED)]),
  to: Name,
  tag: Words.pipe(z.string().max(400)).catch(""),
});
const Undone = Form.extend({ press: z.guid() });
const Noted = Form.extend({
  mention: Keys,
  press: z.guid(),
  text: TypedText.pipe(z.string().trim().min(1).max(LONGEST_NOTE)),
});
