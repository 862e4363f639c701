import { HOUR } from "../../src/lib/instant.ts";
import { DATA_POLICIES, type DataPolicyName } from "../../src/listening-api/records/data-policy.ts";
import { packRecord } from "../../src/listening-api/records/packed-record.ts";
import { createRecordView, RECORD_VERSIONS } from "../../src/listening-api/records/record-view.ts";
import { BRANDS } from "../../src/listening-api/simulate/data.ts";
import { generateHour } from "../../src/listening-api/simulate/generate-hour.ts";
import { generatedVersions } from "../../src/listening-api/simulate/generated-mention.ts";

/**
 * What it costs to make a page of 5,000 wire records of stored ones, in each view. The current version under the full
 * policy is what every page costs at least; what the others cost more is printed next to it. Times are processor time.
 */
const PAGE = 5_000;
const ROUNDS = 9;

const targets = {
  queries: new Map(BRANDS.map(({ name }, index) => [name, index + 1])),
  categories: new Map(),
};
const stored = Array.from({ length: 72 }, (_, hour) =>
  generateHour("bench", Date.UTC(2026, 2, 2) + hour * HOUR, { crises: [] }),
)
  .flat()
  .flatMap((mention) => generatedVersions("bench", mention, targets))
  .slice(0, PAGE)
  .map(({ record, fullText }, index) => {
    const { filledFields, shape } = packRecord(record);
    return { filledFields, emptyFields: shape.emptyFields, mentionId: index, fullText };
  });

console.log(
  `${stored.length} records of ${new Set(stored.map(({ emptyFields }) => emptyFields)).size} kinds`,
);
for (const policy of Object.keys(DATA_POLICIES) as DataPolicyName[]) {
  for (const version of RECORD_VERSIONS) {
    for (const text of ["snippet", "full"] as const) {
      const view = createRecordView({ policy, version, text });
      const times = Array.from({ length: ROUNDS }, () => {
        const start = process.cpuUsage();
        const page = `[${stored.map(view.render).join(",")}]`;
        const bytes = Buffer.byteLength(page);
        const { user, system } = process.cpuUsage(start);
        return { ms: (user + system) / 1_000, bytes };
      }).sort((a, b) => a.ms - b.ms);
      const median = times[Math.floor(ROUNDS / 2)];
      const size = ((median?.bytes ?? 0) / 1e6).toFixed(1);
      console.log(
        `${`${policy} ${version} ${text}`.padEnd(28)} ${median?.ms.toFixed(1).padStart(7)} ms  ${size} MB`,
      );
    }
  }
}
