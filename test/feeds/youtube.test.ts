import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { HOUR, MINUTE, toIso } from "../../src/lib/instant.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { fetchOnce, plannedOf, testFeed } from "../contracts/feed.ts";
import { type FeedServer, withFeedServer } from "../fakes/feed-server.ts";

const CHANNEL = "UC_x5XG1OV2P6uZZ5FSM9Ttw";

/** A channel with these videos; a lower number is a newer one. */
function hold(server: FeedServer, numbers: readonly number[]) {
  const entries = numbers.map((n) => {
    const at = toIso(systemClock.now() - n * MINUTE);
    return `<entry><id>yt:video:v${n}</id><yt:videoId>v${n}</yt:videoId><title>Acme &amp; kettle ${n}</title>
      <link rel="alternate" href="https://www.youtube.com/watch?v=v${n}"/><author><name>Acme TV</name></author>
      <published>${at}</published><updated>${toIso(systemClock.now())}</updated>
      <media:group><media:title>Acme</media:title><media:description>Line one
line two &lt;b&gt; https://acme.example</media:description>
      <media:community><media:starRating count="10" average="5.00" min="1" max="5"/><media:statistics views="703"/>
      </media:community></media:group></entry>`;
  });
  server.pages.set("/videos.xml", {
    body: `<?xml version="1.0" encoding="UTF-8"?><feed xmlns:yt="http://www.youtube.com/xml/schemas/2015"
      xmlns:media="http://search.yahoo.com/mrss/" xmlns="http://www.w3.org/2005/Atom"><id>yt:channel:x</id>
      <title>Acme TV</title>${entries.join("")}</feed>`,
  });
  return { kind: "youtube", channels: [CHANNEL], baseUrl: `${server.url}/videos.xml` };
}

testFeed("youtube", {
  ids: ["yt:video:v5", "yt:video:v6"],
  setUp: (server) => hold(server, [5, 6]),
  addOne(server) {
    hold(server, [4, 5, 6]);
    return "yt:video:v4";
  },
});

test("a video has its title, its description with the lines, and its likes", () =>
  withFeedServer(async (server) => {
    const { read } = await fetchOnce(plannedOf(hold(server, [5])));
    expect(server.requests[0]?.path).toBe(`/videos.xml?channel_id=${CHANNEL}`);
    expect(read.items).toMatchObject([
      {
        ...{ title: "Acme & kettle 5", author: "Acme TV", site: "Acme TV", engagement: { likes: 10 } },
        ...{ url: "https://www.youtube.com/watch?v=v5" },
        body: { text: "Line one\nline two <b> https://acme.example" },
      },
    ]);
  }));

/** The state as if it were `ms` older. */
function aged({ cursor, ...state }: JsonObject, ms: number): JsonObject {
  const older = JSON.stringify(cursor).replaceAll(
    /"missingSince":(\d+)/g,
    (_all, at) => `"missingSince":${Number(at) - ms}`,
  );
  return { ...state, cursor: JSON.parse(older) };
}

test("a video that is missing in the middle for half a day was deleted; one at the end, or back again, was not", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(hold(server, [1, 2, 3, 4, 5]));
    let { read, state } = await fetchOnce(feed);
    hold(server, [1, 4]);
    ({ read, state } = await fetchOnce(feed, state));
    expect(read.deletes).toEqual([]);
    hold(server, [1, 3, 4]);
    ({ read, state } = await fetchOnce(feed, aged(state, 13 * HOUR)));
    expect(read.deletes).toMatchObject([{ id: "yt:video:v2", mayReturn: true }]);
    ({ read, state } = await fetchOnce(feed, aged(state, 13 * HOUR)));
    expect(read.deletes).toEqual([]);
  }));

test("an answer that is empty, broken, or of something else says nothing of the videos", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(hold(server, [1, 2, 3]));
    let { state } = await fetchOnce(feed);
    hold(server, [1, 3]);
    ({ state } = await fetchOnce(feed, state));
    state = aged(state, 13 * HOUR);
    hold(server, []);
    expect((await fetchOnce(feed, state)).read.deletes).toEqual([]);
    hold(server, [1, 3]);
    const whole = server.pages.get("/videos.xml");
    const body = String(Reflect.get(Object(whole), "body")).replace("</feed>", "<entry><id>yt:vid");
    server.pages.set("/videos.xml", { body });
    const { read } = await fetchOnce(feed, state);
    expect(read).toMatchObject({ problem: expect.stringContaining("breaks off"), deletes: [] });
  }));

test("YouTube does not find channels for a while now and then: that is no end of a feed", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(hold(server, [1]));
    server.pages.set("/videos.xml", { status: 404, body: "<!DOCTYPE html>" });
    await expect(fetchOnce(feed)).rejects.toMatchObject({
      isFinal: false,
      message: expect.stringContaining("does not find it for a while"),
    });
    expect(() => plannedOf({ kind: "youtube", channels: ["@acme"] })).toThrow("expected the id of a channel");
  }));
