import { type Instant, MINUTE } from "../../../lib/instant.ts";
import { counted } from "../../../lib/numbers.ts";
import { nameSome, sentence } from "../../../lib/text.ts";
import { type ProcessVersions, whyOther } from "../../model/process.ts";
import type { HealthCheck } from "../define-check.ts";

type VersionsVerdict =
  | { readonly outcome: "Same" }
  /** Files are being copied, or a reload is on its way. */
  | { readonly outcome: "DifferForAMoment" }
  | { readonly outcome: "Differ"; readonly forMs: number; readonly others: number; readonly because: string };

const PATIENCE_MS = 3 * MINUTE;

/** Whether all processes run the version of the configuration that was asked for. `wall` is the database's time. */
export function checkVersions({ asked, processes }: ProcessVersions, wall: Instant): VersionsVerdict {
  const others = processes.filter(({ differsSince }) => differsSince !== null);
  const [first] = others;
  if (first === undefined) return { outcome: "Same" };
  const forMs = wall - Math.min(...others.map(({ differsSince }) => differsSince ?? wall));
  if (forMs < PATIENCE_MS) return { outcome: "DifferForAMoment" };
  const names = nameSome(others.map(({ host, pid, version }) => `${host} process ${pid} (${version})`));
  const n = counted(others.length, "process", "processes");
  return {
    outcome: "Differ",
    forMs,
    others: others.length,
    because: `${n} of ${processes.length} ${others.length === 1 ? "runs" : "run"} another version of the configuration than ${asked}, which was asked for: ${names}. ${sentence(capital(whyOther(first)))} So the same mention may be judged and sent in two ways. Correct the files there, and run earshot reload`,
  };
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Processes that run different versions. */
export const versionCheck: HealthCheck = ({ versions, wall, now }) => {
  const verdict = checkVersions(versions, wall);
  if (verdict.outcome !== "Differ") return [];
  const { forMs, others, because } = verdict;
  return [
    { rule: "versions-differ", labels: {}, since: now - forMs, because, values: { processes: others } },
  ];
};
