import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { systemClock } from "../../src/lib/clock.ts";
import { checkRow, type Verdict } from "./check-row.ts";
import { PARTS } from "./parts.ts";
import { createSubject, type SubjectOptions } from "./subject.ts";

const HELP = `Usage: npm run conformance -- --base-url URL --username NAME --password-file FILE [options]

Asks a Listening API for everything that the specification says, reading only, and prints what conforms.

  --base-url URL             where the API answers
  --username NAME            a login with the role Regular or Admin
  --password-file FILE       its first line is the password; - reads standard input
  --client-id ID             the fixed public client identifier (default earshot-api-client)
  --platform-client-id ID    for a login of several clients
  --project ID               the project to look at (default: the first that has queries)
  --start DATE --end DATE    the range of mentions to look at (default: the last 30 days)
  --part WORD                only parts whose name contains this
  --patience SECONDS         how long to wait, in all, where the API has no budget left (default 900)
  --json                     one JSON document instead of the table

Every address is asked once; a full run takes about 170 calls. Exit codes: 0 everything that was looked at conforms,
1 something deviates, 2 the arguments are at fault, 3 the API could not be asked.`;

const OPTIONS = {
  "base-url": { type: "string" },
  username: { type: "string" },
  "password-file": { type: "string" },
  "client-id": { type: "string", default: "earshot-api-client" },
  "platform-client-id": { type: "string" },
  project: { type: "string" },
  start: { type: "string" },
  end: { type: "string" },
  part: { type: "string", default: "" },
  patience: { type: "string", default: "900" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

interface Finding extends Verdict {
  readonly part: string;
  readonly origin: string;
  readonly section: string;
  readonly what: string;
}

async function main(): Promise<number> {
  const asked = readArguments();
  if (asked === "help") {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  if (typeof asked === "string") {
    process.stderr.write(`conformance: ${asked}\n(npm run conformance -- --help shows all options)\n`);
    return 2;
  }
  const { values } = asked;
  const subject = createSubject(await optionsOf(values));
  const refusal = await subject.token().then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (refusal !== null) {
    process.stderr.write(`conformance: ${values["base-url"]} gives no token: ${refusal}\n`);
    return 3;
  }
  const findings: Finding[] = [];
  for (const part of PARTS.filter(({ name }) => name.toLowerCase().includes(values.part.toLowerCase()))) {
    if (!values.json) process.stdout.write(`\n${part.name}\n`);
    for (const row of part.rows) {
      const verdict = await checkRow(row, subject, []);
      const finding = {
        part: part.name,
        origin: row.origin,
        section: row.section,
        what: row.what,
        ...verdict,
      };
      findings.push(finding);
      if (!values.json) process.stdout.write(line(finding));
    }
  }
  const counts = Object.fromEntries(Object.keys(SIGNS).map((outcome) => [outcome, count(findings, outcome)]));
  if (values.json)
    process.stdout.write(`${JSON.stringify({ baseUrl: values["base-url"], counts, findings })}\n`);
  else
    process.stdout.write(
      `\n${Object.entries(counts)
        .map(([outcome, n]) => `${n} ${outcome}`)
        .join(", ")}\n`,
    );
  return counts["unreached"] ? 3 : counts["deviates"] ? 1 : 0;
}

function readArguments() {
  try {
    const { values } = parseArgs({ options: OPTIONS, strict: true });
    if (values.help) return "help";
    for (const name of ["base-url", "username", "password-file"] as const)
      if (values[name] === undefined) return `--${name} is required`;
    return URL.canParse(values["base-url"] ?? "") ? { values } : "--base-url is no address";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

type Values = Exclude<ReturnType<typeof readArguments>, string>["values"];

async function optionsOf(values: Values): Promise<SubjectOptions> {
  const file = values["password-file"] === "-" ? "/dev/stdin" : (values["password-file"] ?? "");
  const [password = ""] = (await readFile(file, "utf8")).split(/\r?\n/, 1);
  const day = 86_400_000;
  const today = systemClock.now();
  const date = (at: number) => new Date(at).toISOString().slice(0, 10);
  const { project, "platform-client-id": platformClientId } = values;
  return {
    baseUrl: values["base-url"] ?? "",
    username: values.username ?? "",
    password,
    clientId: values["client-id"],
    ...(platformClientId === undefined ? {} : { platformClientId }),
    ...(project === undefined ? {} : { projectId: project }),
    startDate: values.start ?? date(today - 30 * day),
    endDate: values.end ?? date(today),
    patienceMs: Number(values.patience) * 1_000,
    wait: async (ms) => {
      process.stderr.write(`the budget is used up, going on in ${Math.round(ms / 1_000)} s\n`);
      await delay(ms);
    },
  };
}

const SIGNS: Readonly<Record<Verdict["outcome"], string>> = {
  conforms: "yes",
  deviates: "NO",
  "not applicable": "-",
  "left out": "-",
  unreached: "??",
};

function line({ outcome, section, what, because }: Finding): string {
  const said =
    because === null ? "" : `\n       ${outcome}: ${because.replaceAll(/\p{Cc}/gu, " ").slice(0, 300)}`;
  return `  ${SIGNS[outcome].padEnd(4)} ${what}  [${section}]${said}\n`;
}

function count(findings: readonly Finding[], outcome: string): number {
  return findings.filter((finding) => finding.outcome === outcome).length;
}

process.exitCode = await main();
