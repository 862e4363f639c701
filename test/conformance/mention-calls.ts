import { demand } from "./demand.ts";
import { type Answer, type Json, type Parameters, resultsOf, type Subject } from "./subject.ts";

/** Mentions of the range, with more parameters. */
export async function mentions(subject: Subject, more: Parameters = [], call = ""): Promise<Json> {
  return subject.read(await mentionsPath(subject, call), [...(await subject.range()), ...more]);
}

/** The same, whatever the answer is. */
async function askMentions(subject: Subject, parameters: Parameters, call = ""): Promise<Answer> {
  return subject.get(await mentionsPath(subject, call), parameters);
}

/** Demands a 4xx in the documented envelope that names the parameter. */
export async function demandMentionsRefused(
  subject: Subject,
  parameters: Parameters,
  named: string,
): Promise<void> {
  const { status, body, text } = await askMentions(subject, parameters);
  demand(status >= 400 && status < 500, `it is answered with ${status}`);
  demand(
    typeof body === "object" && body !== null && "errors" in body,
    `the body is no errors[]: ${text.slice(0, 100)}`,
  );
  demand(text.includes(named), `no word about ${named}: ${text.slice(0, 200)}`);
}

const WALKED_PAGES = 5;

/** Follows nextCursor for some pages, or until it ends. */
export async function readAllPages(
  subject: Subject,
  parameters: Parameters,
): Promise<{ pages: Json[]; ended: boolean }> {
  const pages = [await mentions(subject, parameters)];
  for (;;) {
    const last = pages.at(-1);
    const cursor = last?.["nextCursor"];
    if (last === undefined || typeof cursor !== "string" || resultsOf(last).length === 0)
      return { pages, ended: true };
    if (pages.length > WALKED_PAGES) return { pages, ended: false };
    pages.push(await mentions(subject, [...parameters, ["cursor", cursor]]));
  }
}

/** More pages than any test needs; without this limit a wrong cursor would never end. */
const MOST_PAGES = 100;

/** As programs do that follow nextCursor until there is none, whatever a page holds. */
export async function walkUntilAbsent(subject: Subject, parameters: Parameters): Promise<Json[]> {
  const pages = [await mentions(subject, parameters)];
  for (;;) {
    const cursor = pages.at(-1)?.["nextCursor"];
    if (cursor === undefined || cursor === null) return pages;
    demand(typeof cursor === "string", `nextCursor is ${cursor}`);
    demand(pages.length < MOST_PAGES, `after ${MOST_PAGES} pages there is still a nextCursor`);
    pages.push(await mentions(subject, [...parameters, ["cursor", cursor]]));
  }
}

export const identityOf = (mention: Json): string => `${mention["queryId"]} ${mention["resourceId"]}`;

export function withoutName(parameters: Parameters, name: string): Parameters {
  return parameters.filter(([held]) => held !== name);
}

async function mentionsPath(subject: Subject, call: string): Promise<string> {
  return `/projects/${(await subject.project()).id}/data/mentions${call}`;
}
