import { DAY, floorTo, type Instant, toIso } from "../../lib/instant.ts";
import type { SampleWorld } from "../../local-api/account/sample-world.ts";

/** Two lines for a shell: the first stores a token in a variable, the second fetches mentions with it. */
export function curlLines(
  url: string,
  sample: Pick<SampleWorld, "username" | "password" | "account" | "queries">,
  now: Instant,
): { token: string; mentions: string } {
  const login = new URLSearchParams({
    username: sample.username,
    grant_type: "api-password",
    client_id: "earshot-api-client",
  });
  const days = new URLSearchParams({
    queryId: String([...sample.queries.values()][0] ?? ""),
    startDate: toIso(floorTo(now, DAY) - 7 * DAY).slice(0, 10),
    endDate: toIso(floorTo(now, DAY) + DAY).slice(0, 10),
    pageSize: "3",
  });
  const readToken = `sed -E 's/.*"access_token":"([^"]+)".*/\\1/'`;
  return {
    token: `TOKEN=$(curl -s '${url}/oauth/token?${login}' --data-urlencode 'password=${sample.password}' | ${readToken}); echo $TOKEN`,
    mentions: `curl -s -H "Authorization: bearer $TOKEN" '${url}/projects/${sample.account.projectId}/data/mentions?${days}'`,
  };
}
