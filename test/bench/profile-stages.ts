import { type Profiler, Session } from "node:inspector/promises";

/** A stage is known by a function that it runs in, or by the files that it lives in. The innermost that fits has it. */
const STAGES: readonly { readonly name: string; readonly fits: (frame: Frame) => boolean }[] = [
  { name: "idle", fits: ({ fn }) => fn === "(idle)" },
  { name: "collecting garbage", fits: ({ fn }) => fn === "(garbage collector)" },
  {
    name: "fetch and parse",
    fits: ({ file }) => /\/src\/monitor\/source\/|\/undici\/|node:.*(net|stream)/.test(file),
  },
  { name: "story", fits: ({ file }) => file.endsWith("/src/monitor/ingest/fold-stories.ts") },
  { name: "rows and their JSON", fits: ({ fn }) => fn === "storePage" },
  { name: "judge", fits: ({ file }) => /\/src\/monitor\/(rules|ingest\/judge-page)/.test(file) },
  {
    name: "alerts and notifications",
    fits: ({ file }) => /\/src\/monitor\/(alerts|notify|ingest\/record-)/.test(file),
  },
  { name: "counts, alerts, polls: SQL", fits: ({ file }) => file.includes("/src/monitor/store/") },
  { name: "client of PostgreSQL", fits: ({ file }) => /\/node_modules\/(pg|kysely)/.test(file) },
];

interface Frame {
  readonly fn: string;
  readonly file: string;
}

/** Milliseconds of this thread by stage while `work` runs, longest first. */
export async function profileStages(work: () => Promise<unknown>): Promise<[string, number][]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 500 });
  await session.post("Profiler.start");
  await work();
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  return sumByStage(profile);
}

function sumByStage({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): [string, number][] {
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const stages = new Map(
    nodes.map(({ id, callFrame }) => [id, stageOf({ fn: callFrame.functionName, file: callFrame.url })]),
  );
  const inherited = (id: number | undefined): string => {
    if (id === undefined) return "other";
    return stages.get(id) ?? inherited(parents.get(id));
  };
  const spent = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const stage = inherited(id);
    spent.set(stage, (spent.get(stage) ?? 0) + (timeDeltas[index] ?? 0) / 1_000);
  }
  return [...spent].sort(([, a], [, b]) => b - a);
}

function stageOf(frame: Frame): string | undefined {
  return STAGES.find(({ fits }) => fits(frame))?.name;
}
