import type { Command } from "commander";
import {
  deleteFaults,
  FAULT_HEADER,
  FAULT_KINDS,
  type FaultKind,
  FaultKindName,
  insertFault,
  listFaults,
  readFaultAmount,
  type StoredFault,
  unknownFault,
} from "#listening-api";
import { formatDuration } from "../../lib/duration.ts";
import { UserError } from "../../lib/errors.ts";
import { counted } from "../../lib/numbers.ts";
import { printOutcome, printRows } from "../common/print-rows.ts";
import { toCount, toProbability } from "./flags.ts";
import { withTables } from "./with-tables.ts";

export function addLocalFault(group: Command, env: NodeJS.ProcessEnv): void {
  const fault = group
    .command("fault")
    .description("Makes the local API fail on request, in every process that serves these tables.")
    .addHelpText("after", HELP);
  addSet(fault, env);
  fault
    .command("list")
    .description("Lists the faults, how often each happened and how often it still will.")
    .option("--json", "answer as JSON", false)
    .action((options: { json: boolean }) =>
      withTables(env, async ({ db }) => {
        const faults = await listFaults(db);
        await printRows(options.json ? faults.map((stored) => ({ ...stored })) : faults.map(shown), {
          json: options.json,
          none: "No faults are set.",
        });
      }),
    );
  fault
    .command("clear [ids...]")
    .description("Ends all faults, or those with these ids.")
    .option("--json", "answer as JSON", false)
    .action((ids: readonly string[], options: { json: boolean }) =>
      withTables(env, async ({ db }) => {
        const cleared = await deleteFaults(db, ids.length === 0 ? undefined : ids.map(toCount));
        printOutcome({ cleared }, `${counted(cleared, "fault")} cleared.`, options);
      }),
    );
}

const HELP = `
Faults:
${Object.entries(FAULT_KINDS)
  .map(([kind, { what }]) => `  ${kind.padEnd(15)} ${what}`)
  .join("\n")}

Examples:
  earshot local-api fault set 429=7s --times 3              three calls get a 429: try again in 7 s
  earshot local-api fault set 502 --probability 20%         one call in five, until it is cleared
  earshot local-api fault set truncated --path "data/mentions*cursor=" --times 1
  earshot local-api fault set late=30m --probability 0.3    three mentions in ten are indexed up to 30 min late
  earshot local-api fault list
  earshot local-api fault clear

A server that was started with --test-mode also takes faults for one call in the header ${FAULT_HEADER}, such as
"${FAULT_HEADER}: slow=200ms, truncated".`;

interface SetOptions {
  readonly times?: number;
  readonly probability: number;
  readonly path?: string;
  readonly json: boolean;
}

function addSet(fault: Command, env: NodeJS.ProcessEnv): void {
  fault
    .command("set <fault>")
    .description("Sets a fault, or fault=amount, from now on.")
    .option("--times <number>", "so often, then no more (default: until it is cleared)", toCount)
    .option("--probability <share>", "of the calls that fit, such as 0.2 or 20%", toProbability, 1)
    .option("--path <text>", "calls whose path with its parameters contains this; * matches anything")
    .option("--json", "answer as JSON", false)
    .action((text: string, options: SetOptions) => {
      const { kind, amount } = readFault(text);
      return withTables(env, async ({ db }) => {
        const { times, probability, path } = options;
        const stored = await insertFault(db, {
          kind,
          amount,
          probability,
          path: path ?? null,
          remaining: times ?? null,
        });
        printOutcome(stored, `Fault ${stored.id}: ${FAULT_KINDS[kind].what}.`, options);
      });
    });
}

function readFault(text: string): { kind: FaultKind; amount: number | null } {
  const [name = "", amountText] = text.split("=", 2);
  const kind = FaultKindName.safeParse(name);
  if (!kind.success) throw new UserError(unknownFault(name));
  const amount = amountText === undefined ? null : readFaultAmount(kind.data, amountText);
  if (typeof amount === "string") throw new UserError(amount);
  return { kind: kind.data, amount };
}

function shown({ id, kind, amount, path, probability, remaining, applied }: StoredFault) {
  const unit = FAULT_KINDS[kind].amount?.unit;
  return {
    id,
    fault: amount === null ? kind : `${kind}=${unit === "duration" ? formatDuration(amount) : amount}`,
    path,
    probability,
    remaining: remaining ?? "until cleared",
    happened: applied,
  };
}
