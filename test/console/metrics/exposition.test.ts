import fc from "fast-check";
import { expect, test } from "vitest";
import { exposed, gauge } from "../../../src/console/render-metrics.ts";

test("with any text in a label, the lines stay well-formed and the label can be read back", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), fc.double(), async (name, value) => {
      const text = await exposed([gauge("earshot_x", "Said\nof \\ it.", [{ labels: { name }, value }])]);
      const [help, type, sample, ...more] = text.split("\n");
      expect(more).toEqual([""]);
      expect([help, type]).toEqual(["# HELP earshot_x Said\\nof \\\\ it.", "# TYPE earshot_x gauge"]);
      const found = /^earshot_x\{name="((?:[^"\\\n]|\\.)*)"\} (\S+)$/u.exec(sample ?? "");
      const read = found?.[1]?.replaceAll(/\\(.)/g, (_, one: string) => (one === "n" ? "\n" : one));
      expect(read).toBe(name);
      const number = found?.[2]?.replace("Inf", "Infinity");
      expect(Object.is(Number(number), value) || Number(number) === value).toBe(true);
    }),
  );
});
