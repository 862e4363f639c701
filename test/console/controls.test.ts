import { expect, test } from "vitest";
import { createTimes } from "../../src/console/common/times.ts";
import { accountPage } from "../../src/console/pages/account.ts";
import { auditPage } from "../../src/console/pages/audit.ts";
import { usersPage } from "../../src/console/pages/users.ts";
import { createManualClock } from "../../src/lib/clock.ts";

const NOW = Date.UTC(2026, 2, 3, 12);
const times = createTimes(createManualClock(NOW), "UTC");
const session = (id: string, address: string) => ({
  ...{ id, nameKey: "ann", credential: "x", openedAt: NOW, seenAt: NOW, until: NOW, address },
  agent: "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0",
});
const token = (id: string, label: string) => ({
  ...{ id, nameKey: "ann", label, scope: "read" as const, createdAt: NOW, until: NOW },
  ...{ usedAt: null, usedFrom: null },
});

function account(): string {
  const user = { name: "ann", role: "admin", kept: "Database", credential: "x", email: null } as const;
  const shown = {
    user,
    sessions: [session("1", "::1"), session("2", "10.0.0.1"), session("3", "10.0.0.2")],
    session: "1",
    tokens: [token("4", "grafana"), token("5", "<b>")],
    slack: [
      { teamId: "T", userId: "U1", slackName: "ann", linkedAt: NOW },
      { teamId: "T", userId: "U2", slackName: "ann.b", linkedAt: NOW },
    ],
    ...{ made: null, begun: null, recovery: null, recoveryLeft: null, slackCode: null, fault: null },
  };
  return accountPage(shown as unknown as Parameters<typeof accountPage>[0], times, "t").body.toString();
}

test("two buttons that end different things have different names", () => {
  const names = [...account().matchAll(/<button[^>]*name="id"[^>]*>(.*?)<\/button>/gs)].map(([, name = ""]) =>
    name.replaceAll(/<[^>]+>/g, ""),
  );
  expect(names).toEqual([
    "End the session of Firefox on Linux from 10.0.0.1",
    "End the session of Firefox on Linux from 10.0.0.2",
    "End all others",
    "End the token grafana",
    "End the token &lt;b&gt;",
    "Unlink ann",
    "Unlink ann.b",
  ]);
});

test("a table that scrolls has a name, and keys scroll it", () => {
  const actor = { via: "page", login: "ann", typed: null } as const;
  const outcome = "Done" as const;
  const entry = {
    ...{ id: 1, at: NOW, actor, role: null, origin: "::1" },
    ...{ action: "user.add", target: "bob", outcome, detail: "" },
  };
  const audit = auditPage({ entries: [entry], who: "", action: "", address: "/audit", next: null }, times);
  const nobody = { stored: [], ofFile: [], factors: [], sessions: [], tokens: [] };
  const users = usersPage({ ...nobody, made: null, invited: null, fault: null }, times, "t");
  const tables = [account(), audit.body.toString(), users.body.toString()].flatMap((body) =>
    [...body.matchAll(/<div class="scrolls"([^>]*)>/g)].map(([, attributes = ""]) => ({
      attributes,
      isNamed: body.includes(`id="${/aria-labelledby="([^"]+)"/.exec(attributes)?.[1]}"`),
    })),
  );
  expect(tables).toHaveLength(4);
  for (const { attributes, isNamed } of tables) {
    expect(attributes).toMatch(/tabindex="0" role="group"/);
    expect(isNamed).toBe(true);
  }
});
