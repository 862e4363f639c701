import { expect, test } from "vitest";
import { startFakeWebServer } from "../fakes/web-server.ts";
import { onAnyEngine, onEveryEngine } from "./on-every-engine.ts";
import { NEGATIVE } from "./rules.ts";
import { asAdministrator, type Story } from "./story.ts";
import { storyTime } from "./story-time.ts";

/** Somebody changes our user at the source, and its tokens go. */
async function rename(story: Story, username: string): Promise<void> {
  await asAdministrator(story.databaseUrl, "delete from local_api.token; delete from earshot.tokens");
  await asAdministrator(story.databaseUrl, `update local_api.api_user set username = '${username}'`);
}

/** The messages to the operators, without the moments. */
function alerts(story: Story) {
  return story.query<{ rule: string; state: string; notifications: string[] }>(
    `select a.rule, a.state, array_agg(n.receiver || ' ' || n.kind || ' ' || n.state order by n.id) as notifications
      from earshot.alerts a left join earshot.notifications n on n.project_id = a.project_id and n.alert_id = a.id
      where a.project_id = 'all' group by a.id, a.rule, a.state order by a.id`,
  );
}

/** Time passes, and Earshot runs its health checks now and then. */
async function lookUntil(story: Story, time: string, stepMinutes = 1): Promise<void> {
  const end = storyTime(time);
  while (story.clock.now() < end) {
    story.clock.set(Math.min(end, story.clock.now() + stepMinutes * 60_000));
    await story.earshot.sweep();
    await story.earshot.checkHealth();
  }
}

onEveryEngine((begin) => {
  test("the heartbeat is called while the whole line works, and withheld with its reason", async () => {
    const outside = await startFakeWebServer();
    try {
      const story = await begin({
        rules: { negative: NEGATIVE },
        heartbeat: { url: outside.url, every: "10s", allowPrivateAddress: true },
      });
      const shown = async () =>
        (
          await story.query<{ value: object }>("select value from earshot.settings where key = 'heartbeat'")
        )[0]?.value;
      await story.earshot.checkHealth();
      expect(outside.requests).toEqual([]);
      expect(await shown()).toMatchObject({
        outcome: "NotPolled",
        reason: "no query has been read to its end yet",
      });
      await story.until("09:05");
      expect((await story.earshot.checkHealth()).heartbeat).toEqual({ outcome: "Beats" });
      await story.earshot.checkHealth();
      expect(outside.requests).toHaveLength(1);
      expect(await shown()).toMatchObject({ outcome: "Beats", answer: "200" });
      expect(JSON.stringify(await shown())).not.toContain("very-secret-path");
      story.clock.set(storyTime("10:00"));
      expect((await story.earshot.checkHealth()).heartbeat).toMatchObject({ outcome: "NotPolled" });
      expect(outside.requests).toHaveLength(1);
    } finally {
      await outside.close();
    }
  });
});

onAnyEngine((begin) => {
  test("a source that refuses our login is reported to the operators at once, once, and resolves by itself", async () => {
    const story = await begin({ rules: { negative: NEGATIVE }, operator: { receivers: ["team"] } });
    await story.until("09:05");
    await story.earshot.checkHealth();
    expect(await alerts(story)).toEqual([]);
    await rename(story, "somebody.else@acme.example");
    story.clock.set(storyTime("09:10"));
    await expect(story.earshot.refreshQueries()).rejects.toThrow();
    for (let i = 0; i < 3; i++) await story.earshot.checkHealth();
    expect(await alerts(story)).toEqual([
      { rule: "source-refuses", state: "firing", notifications: ["team fired sent"] },
    ]);
    expect(story.mailed("team@acme.example")).toEqual([
      "[CRITICAL] Earshot: no new mentions are read: the source refuses our login",
    ]);
    const [mail] = story.smtp.mails;
    expect(mail?.parsed.text).toContain("the source refuses our login");
    expect(mail?.parsed.text).toContain("earshot doctor");
    expect(mail?.parsed.text).not.toMatch(/\bmentions? so far|0 mentions|correct horse/);

    await rename(story, "monitor@acme.example");
    await story.earshot.refreshQueries();
    await lookUntil(story, "09:15");
    expect(await alerts(story)).toEqual([
      { rule: "source-refuses", state: "resolved", notifications: ["team fired sent", "team resolved sent"] },
    ]);
    expect(story.mailed("alerts@acme.example")).toEqual([]);
    expect(await story.posted("#alerts")).toEqual([]);
  });

  test("a receiver whose channel is missing is reported at once to another one, with what to do", async () => {
    const story = await begin({
      rules: { negative: NEGATIVE },
      routes: [{ receivers: ["crisis"] }],
      channels: ["alerts"],
      operator: { receivers: ["crisis"] },
    });
    story.at("09:01").mention("Acme", { sentiment: "negative", fullname: "Ann" });
    await story.until("09:05");
    await story.earshot.checkHealth();
    expect(await alerts(story)).toEqual([
      { rule: "receiver-fails", state: "firing", notifications: ["alerts fired sent"] },
    ]);
    const [posted] = await story.posted("#alerts");
    expect(posted).toContain("CRITICAL Earshot: receiver crisis gets no messages");
    const [sent] = await story.slack.messages();
    expect(JSON.stringify(sent)).toContain("invite the app to it");
    expect(await story.query("select outcome from earshot.deliveries where outcome = 'dead'")).toHaveLength(
      1,
    );
  });

  test("a revoked Slack token is reported at once to a working receiver, with what to do", async () => {
    const story = await begin({
      rules: { negative: NEGATIVE },
      routes: [{ receivers: ["crisis"] }],
      receiverSettings: { crisis: { token: "xoxb-that-was-revoked" } },
      operator: { receivers: ["crisis"] },
    });
    story.at("09:01").mention("Acme", { sentiment: "negative", fullname: "Ann" });
    await story.until("09:05");
    await story.earshot.checkHealth();
    await story.earshot.checkHealth();
    expect(await alerts(story)).toEqual([
      { rule: "receiver-fails", state: "firing", notifications: ["alerts fired sent"] },
    ]);
    const [sent] = await story.slack.messages();
    const said = JSON.stringify(sent);
    expect(said).toContain("receiver crisis gets no messages: Slack refused the message: invalid_auth");
    expect(said).toContain("Install the Slack app again and put its new bot token into the receiver");
    expect(said).not.toContain("xoxb-that-was-revoked");
  });

  test("a mail server that refuses our login is reported to another receiver with what to do, and resolved once it accepts", async () => {
    const password = "a-password-of-yesterday";
    const story = await begin({
      rules: { negative: NEGATIVE },
      routes: [{ receivers: ["team"] }],
      mailLogin: { user: "earshot", password },
      operator: { receivers: ["alerts"] },
    });
    const refused = { at: "login", code: 535, text: "5.7.8 Authentication credentials invalid" } as const;
    story.smtp.faults.push(...Array.from({ length: 50 }, () => refused));
    story.at("09:01").mention("Acme", { sentiment: "negative", fullname: "Ann" });
    await story.until("09:05");
    await story.earshot.checkHealth();
    expect(await alerts(story)).toEqual([
      { rule: "receiver-fails", state: "firing", notifications: ["alerts fired sent"] },
    ]);
    const said = JSON.stringify((await story.slack.messages())[0]);
    expect(said).toContain("The mail server refused the login: 535 5.7.8 Authentication credentials invalid");
    expect(said).toContain("Check the user name and password of the receiver's SMTP server");
    expect(said).not.toContain(password);

    story.smtp.faults.length = 0;
    await lookUntil(story, "09:12");
    // Refused messages are not forgotten: they have to be requested again.
    expect(await alerts(story)).toMatchObject([
      { rule: "receiver-fails", state: "resolved" },
      { rule: "messages-given-up", state: "firing", notifications: ["alerts fired sent"] },
    ]);
  });

  test("queries that lag are one problem, more severe when it goes on, and resolved below half of the limit", async () => {
    const story = await begin({ rules: { negative: NEGATIVE }, queries: ["Acme", "Bolt"] });
    await story.until("09:05");
    await story.source.fail({ kind: "503", path: "data/mentions", remaining: 10_000 });
    await lookUntil(story, "09:40", 5);
    expect(await alerts(story)).toEqual([
      { rule: "source-lag", state: "firing", notifications: ["alerts fired sent"] },
    ]);
    const [posted] = await story.posted("#alerts");
    expect(posted).toMatch(/^WARNING Earshot: alerts come late: 2 of 2 queries are behind, by up to/);
    await lookUntil(story, "11:10", 5);
    expect((await alerts(story))[0]?.notifications).toEqual(["alerts fired sent", "alerts escalated sent"]);
    await asAdministrator(story.databaseUrl, "delete from local_api.fault");
    await asAdministrator(story.databaseUrl, "update earshot.polls set retry_at_wall = null");
    await story.settle();
    await lookUntil(story, "11:15");
    expect(await alerts(story)).toMatchObject([{ rule: "source-lag", state: "resolved" }]);
  });
});
