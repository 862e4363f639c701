import { expect, test } from "vitest";
import { onAnyEngine } from "./on-every-engine.ts";
import { NEGATIVE } from "./rules.ts";
import { ACCOUNT } from "./story-setting.ts";

onAnyEngine((begin) => {
  test("a mention that a person edits through the API is evaluated again by the rules, and alerts", async () => {
    const { at, until, posted, config, query } = await begin({ rules: { negative: NEGATIVE } });
    at("09:01").mention("Acme", { resourceId: "m", sentiment: "neutral", fullname: "Bo" });
    await until("09:10");
    expect(await posted("#alerts")).toEqual([]);

    const { baseUrl } = config.sources[0];
    const login = new URLSearchParams({
      username: ACCOUNT.username,
      grant_type: "api-password",
      client_id: "earshot-api-client",
    });
    const token = await fetch(`${baseUrl}/oauth/token?${login}`, {
      method: "POST",
      body: new URLSearchParams({ password: ACCOUNT.password }),
    });
    const { access_token: bearer } = (await token.json()) as { access_token: string };
    const [stored] = await query<{ query_id: string; project_id: string }>(
      "select m.query_id, q.project_id from local_api.mention m join local_api.query q on q.id = m.query_id",
    );
    const answer = await fetch(`${baseUrl}/projects/${stored?.project_id}/data/mentions`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
      body: JSON.stringify([{ queryId: Number(stored?.query_id), resourceId: "m", sentiment: "negative" }]),
    });
    expect(answer.status).toBe(200);

    await until("09:30");
    expect(await posted("#alerts")).toEqual(["INFO Bo is negative about Acme. Since Mon 2 Mar, 09:10 UTC."]);
  });
});
