import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

const OUT = "docs/pages";
const QUALITY = 40;
/** A desk by day, and a phone at night. */
const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  desk: { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: "dark", isMobile: true },
};

/** Every page, by its name: where it is, and what it answers. */
function pagesOf(alert: string, incident: string | null): readonly (readonly [string, string, string])[] {
  return [
    ["overview", "/", "What needs somebody, how loud it is, what came and what was sent"],
    ["alerts", "/alerts?state=open", "What is open, by importance"],
    ["alert", `/alerts/${alert}`, "What it is about, what happened, who was notified"],
    ...(incident === null
      ? []
      : ([
          ["incident", `/incidents/${incident}`, "Statement, comments, crisis room, alerts of one crisis"],
          ["review", `/incidents/${incident}/review`, "Figures, stories, what was learned"],
        ] as const)),
    ["mentions", "/mentions", "What came, searched, and worked on"],
    ["why", "/why?of=nothing", "Why a mention alerted, or is not here"],
    ["insights", "/insights?last=24h", "How loud, against whom, and in which mood"],
    ["speakers", "/insights/speakers?last=24h", "Who speaks, and who is new"],
    ["stories", "/insights/stories?last=24h", "What spreads, from where to where"],
    ["response", "/insights/response?last=7d", "How fast we were, and what nobody needed"],
    ["rules", "/rules", "All rules, and their tests"],
    ["rule", "/rules/crisis-spike", "What a rule says, whom it reaches, what it found"],
    ["try-rule", "/rules/crisis-spike/try", "What a change would have sent"],
    ["templates", "/templates", "All texts of messages"],
    ["template", "/templates/edit?name=slack/alert-about.mrkdwn", "A text, beside what it makes"],
    ["inbox", "/inbox", "Messages as their readers see them"],
    ["preview", "/preview", "Samples of all messages"],
    ["digests", "/digests", "What is sent at fixed times"],
    ["health", "/health", "Whether everything is read and sent"],
    ["silences", "/silences", "What is muted, and how precise rules are"],
    ["views", "/views", "Saved searches and views, and those that come by mail every Monday"],
    ["lists", "/lists", "Authors whom people know"],
    ["setup", "/setup", "Listen for a brand"],
    ["account", "/account", "Password, second factor, sessions, tokens"],
    ["users", "/users", "Who may log in, and with which role"],
    ["audit", "/audit", "Who changed what"],
  ];
}

/** Takes pictures of every page, as somebody sees it who may see all, and writes the list of them. */
export async function takePages(
  browser: Browser,
  demo: { readonly address: string; readonly home: string; readonly alert: string },
): Promise<void> {
  const password = await addAdmin(demo.home);
  await mkdir(OUT, { recursive: true });
  let listed: readonly (readonly [string, string, string])[] = [];
  for (const [look, options] of Object.entries(LOOKS)) {
    const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto(`${demo.address}/login`);
    await take(page, `login-${look}`);
    await page.fill("#username", ADMIN);
    await page.fill("#password", password);
    await page.click("button[type=submit]");
    await page.waitForURL(`${demo.address}/`);
    await page.goto(`${demo.address}/alerts/${demo.alert}`);
    const link = await page
      .locator("a[href^='/incidents/']")
      .first()
      .getAttribute("href", { timeout: 2_000 })
      .catch(() => null);
    listed = pagesOf(demo.alert, link?.split("/").at(-1) ?? null);
    for (const [name, path] of listed) {
      await page.goto(`${demo.address}${path}`);
      await take(page, `${name}-${look}`);
    }
    await context.close();
  }
  const rows = [["login", "/login", "Who are you"] as const, ...listed].map(
    ([name, , what]) =>
      `| **${name}**: ${what} | ![${name} on a desk](${name}-desk.webp) | ![${name} on a phone](${name}-phone.webp) |`,
  );
  await writeFile(
    join(OUT, "README.md"),
    `# Every page of the console\n\nTaken in the demo's first crisis by \`npm run screenshots\`, which writes this list.\n\n| Page | 1280 pixels, light | 390 pixels, dark |\n|---|---|---|\n${rows.join("\n")}\n`,
  );
}

const ADMIN = "ann";

/** From then on the console of the demo asks for a login. */
async function addAdmin(home: string): Promise<string> {
  const words = ["users", "add", ADMIN, "--role", "admin", "--json"];
  const child = spawn(process.execPath, [join(process.cwd(), "dist/src/cli/main.js"), ...words], {
    cwd: home,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return String((JSON.parse(said) as { password: unknown }).password);
}

/** Playwright has no WebP, which is a tenth of the size. */
async function take(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  const bytes = Buffer.from(data, "base64");
  await writeFile(join(OUT, `${name}.webp`), bytes);
  process.stdout.write(`${OUT}/${name}.webp: ${Math.round(bytes.length / 1024)} KB\n`);
  await session.detach();
}
