import { demand } from "../demand.ts";
import { notApplicable, type Part, row } from "../row.ts";
import { all, demandShape } from "../shape.ts";
import { isJson } from "../subject.ts";

export const account: Part = {
  name: "Client and user",
  rows: [
    row("Resources: client record", "GET /client gives every field of the record", async (subject) => {
      const body = await subject.read("/client");
      demandShape(
        body,
        {
          ...all("integer", "id parentId mentionArchiveSize maximumSubscribedBrands priceStructureId"),
          ...all("integer", "priceStructureLineId maxUsers mentionBasedPricingMatrixLevel"),
          ...all("integer", "userInactivityTimeoutMinutes"),
          ...all(
            "string",
            "name website address1 address2 address3 country postcode contactName contactEmail",
          ),
          ...all("string", "contactTitle contactTelephone contactMobile pricingModel theme owner shardName"),
          ...all("boolean", "isLegacy pitchClient"),
          startDate: "timestamp",
          expiryDate: "string?",
          tags: "object",
        },
        "/client",
      );
    }),
    row("Resources: client record", "tags are text by text", async (subject) => {
      const { tags } = await subject.read("/client");
      demand(
        isJson(tags) && Object.values(tags).every((tag) => typeof tag === "string"),
        "a tag is no string",
      );
    }),
    row("Limits: rate limit", "ratelimit.limit and ratelimit.period are numbers in text", async (subject) => {
      const { tags } = await subject.read("/client");
      const limits = ["ratelimit.limit", "ratelimit.period"].map((name) => isJson(tags) && tags[name]);
      if (limits.every((limit) => limit === undefined)) return notApplicable("this client has no rate limit");
      return demand(
        limits.every((limit) => /^\d+$/.test(String(limit))),
        `they are ${limits.join(" and ")}`,
      );
    }),
    row("practice §1", "answers carry x-rate-limit and x-rate-limit-used", async (subject) => {
      const { tags } = await subject.read("/client");
      if (!isJson(tags) || tags["ratelimit.limit"] === undefined)
        return notApplicable("this client has no rate limit");
      const { headers } = await subject.get("/me");
      demand(
        /^\d+\/\d+m$/.test(headers.get("x-rate-limit") ?? ""),
        `x-rate-limit: ${headers.get("x-rate-limit")}`,
      );
      return demand(/^\d+$/.test(headers.get("x-rate-limit-used") ?? ""), "x-rate-limit-used is missing");
    }),
    row("Resources: me record", "GET /me gives every field of the record", async (subject) => {
      demandShape(
        await subject.read("/me"),
        {
          id: "integer",
          ...all("string", "username uiRole firstName lastName"),
          tags: "object",
          client: "object",
          crmAccount: "value",
          passwordExpiryDate: "string?",
          creationDate: "timestamp",
        },
        "/me",
      );
    }),
    row("Resources: me record", "its client has every field", async (subject) => {
      demandShape(
        (await subject.read("/me"))["client"],
        {
          ...all("integer", "id parentId userInactivityTimeoutMinutes queryLimit mentionLimit"),
          ...all("string", "name theme priceStructureName"),
          priceStructureLineCost: "number",
          startDate: "string",
        },
        "client of /me",
      );
    }),
    row("Resources: me record", "it is the client of the token", async (subject) => {
      const [me, client] = [await subject.read("/me"), await subject.read("/client")];
      demand(isJson(me["client"]) && me["client"]["id"] === client["id"], "/me and /client name two clients");
    }),
  ],
};
