import { runCrashPoints } from "./run.ts";
const r = await runCrashPoints({ queue: (process.argv[4] as "redis") ?? "postgres", only: null, chapter: process.argv[2] ?? null, from: 1, share: Number(process.argv[3] ?? 0), seed: 1, lanes: 4, fates: ["kill"], modes: ["bare"], signal: new AbortController().signal, tell: (s) => console.error(s) });
const by = new Map<string, number>();
for (const c of r.cases) { const k = `${c.chapter} ${c.point.peer} ${c.point.side}`; by.set(k, (by.get(k) ?? 0) + 1); }
console.log(by, r.tookMs);
for (const c of r.cases) console.log(c.k, c.point.peer, c.point.side, c.point.nth, c.point.name.slice(0, 100));
for (const o of r.outcomes.filter((o) => o.outcome !== "same")) console.log(JSON.stringify(o, null, 1).slice(0, 3000));
