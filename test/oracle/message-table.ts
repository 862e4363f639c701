import type { Message, Recording } from "./message.ts";
import { readMessage } from "./read-message.ts";
import { wallOf } from "./times.ts";
import type { World } from "./world.ts";

/** How a message reaches its reader: it calls, it stands below another one, or another one changes. */
type Way = "new" | "replies" | "edits";
const WAYS: readonly Way[] = ["new", "replies", "edits"];

/** A message of a person, with how it reached the reader. What programs and pages get is not among them. */
interface Arrival {
  readonly message: Message;
  readonly way: Way;
}

/**
 * The messages of a recording by receiver and day, in the zone of the world, as lines of Markdown. Of receivers whose name
 * contains `only`, each new message and reply follows, as its reader has it.
 */
export async function formatMessages(
  world: World,
  { messages }: Recording,
  only: string | null,
): Promise<readonly string[]> {
  const arrivals: Arrival[] = [];
  for (const raw of messages) {
    if (raw.kind === "webhook" || raw.kind === "page") continue;
    const isReply = raw.kind === "slack" && raw.threadTs !== null && raw.threadTs !== raw.ts;
    const way = raw.kind !== "email" && raw.isEdit ? "edits" : isReply ? "replies" : "new";
    arrivals.push({ message: await readMessage(raw), way });
  }
  const places = [...new Set(arrivals.map(({ message }) => message.place))].sort();
  const dayOf = ({ message }: Arrival) => dayIn(message.at, world.timezone);
  const days = [...new Set(arrivals.map(dayOf))].sort();
  const lines = ["| receiver | day | new | replies | edits |", "|---|---|---|---|---|"];
  for (const place of places) {
    const its = arrivals.filter(({ message }) => message.place === place);
    const row = (name: string, those: readonly Arrival[]) => {
      const counts = WAYS.map((wanted) => those.filter(({ way }) => way === wanted).length);
      return `| ${[place, name, ...counts].join(" | ")} |`;
    };
    lines.push(
      ...days.map((day) =>
        row(
          day,
          its.filter((one) => dayOf(one) === day),
        ),
      ),
      row("all", its),
    );
  }
  if (only === null) return lines;
  for (const { message, way } of arrivals)
    if (way !== "edits" && message.place.includes(only))
      lines.push("", ...asRead(message, way, world.timezone));
  return lines;
}

function asRead({ at, place, lines, quotes }: Message, way: Way, timezone: string): readonly string[] {
  const { hour, minute } = wallOf(at, timezone);
  const two = (number: number) => String(number).padStart(2, "0");
  const when = `${dayIn(at, timezone)} ${two(hour)}:${two(minute)}`;
  return [
    `${when}  ${place}${way === "replies" ? ", in a thread" : ""}`,
    ...[...new Set(lines)].map((line) => `    ${line}`),
    ...quotes.map(({ heading }) => `    > ${heading}`),
  ];
}

/** `2026-03-16`. */
function dayIn(at: number, timezone: string): string {
  const { year, month, day } = wallOf(at, timezone);
  return [year, ...[month + 1, day].map((part) => String(part).padStart(2, "0"))].join("-");
}
