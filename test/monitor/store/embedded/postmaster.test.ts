import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { isAlive } from "../../../../src/monitor/store/embedded/postmaster.ts";
import { until } from "../../../until.ts";

test("this process is alive, and a process id that nobody has is not", () => {
  expect(isAlive(process.pid)).toBe(true);
  expect(isAlive(2 ** 22 + 1)).toBe(false);
});

test.skipIf(process.platform !== "linux")(
  "a process that has ended is gone, even if its parent never collects it",
  async () => {
    // `sleep` takes the place of the shell, and knows nothing of the shell's child.
    const parent = spawn("sh", ["-c", "sleep 0.1 & echo $!; exec sleep 30"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
      const pid = Number(line);
      await until("it has ended", () => !isAlive(pid), { withinMs: 5_000 });
      expect(process.kill(pid, 0)).toBe(true);
    } finally {
      parent.kill("SIGKILL");
    }
  },
);
