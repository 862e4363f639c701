import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readBounce } from "../../../../src/monitor/notify/notifiers/email/read-bounce.ts";
import { anyText } from "../../../fixtures/any-text.ts";
import { bounceMail, NOTIFICATION, QUOTED, statusPart } from "../../../fixtures/bounce-mails.ts";
import { runs } from "../../../runs.ts";

const REFUSED = "5.1.1 smtp; 550 5.1.1 <duty@example.org>: Recipient address rejected: User unknown";

describe("a report of a mail server", () => {
  it("says which mail came back, for good or not, and the server's answer", async () => {
    expect(await readBounce(bounceMail(), null)).toEqual({
      outcome: "Bounce",
      bounce: {
        notificationId: NOTIFICATION,
        messageId: "<abc@brand.example>",
        outcome: "bounced",
        detail: REFUSED,
      },
    });
  });

  it.each([
    ["gave up after days", { action: "failed", status: "4.4.7" }, "expired"],
    ["is full", { action: "failed", status: "5.2.2" }, "bounced"],
    ["is slow", { action: "delayed", status: "4.4.1" }, "delayed"],
    ["writes in capitals", { action: "Failed", status: "5.7.1" }, "bounced"],
  ])("of one that %s", async (_, fields, outcome) => {
    const read = await readBounce(bounceMail({ status: statusPart(fields) }), null);
    expect(read).toMatchObject({ outcome: "Bounce", bounce: { outcome } });
  });

  it.each(["message/rfc822", "text/rfc822-headers", "message/rfc822-headers"])(
    "that quotes our mail as %s names it",
    async (type) => {
      const read = await readBounce(
        bounceMail({ to: "bounces@brand.example", quoted: { ...QUOTED, type } }),
        null,
      );
      expect(read).toMatchObject({ bounce: { notificationId: null, messageId: QUOTED.messageId } });
    },
  );

  it.each([
    [
      "the header of the final delivery",
      { to: "bounces@brand.example", headers: `Delivered-To: ${address()}` },
      null,
    ],
    [
      "the header of the first address",
      { to: "x@brand.example", headers: `X-Original-To: ${address()}` },
      null,
    ],
    ["what the mail server passed on", { to: "bounces@brand.example" }, address()],
    ["an address in capitals", { to: address().toUpperCase() }, null],
  ])("that quotes nothing is known by %s", async (_, mail, to) => {
    const read = await readBounce(bounceMail({ ...mail, quoted: null }), to);
    expect(read).toMatchObject({ bounce: { notificationId: NOTIFICATION, messageId: null } });
  });

  it("without a machine-readable part is known by the header that Exim gives it", async () => {
    const read = await readBounce(
      bounceMail({ status: null, headers: "X-Failed-Recipients: duty@example.org" }),
      null,
    );
    expect(read).toMatchObject({ bounce: { outcome: "bounced", notificationId: NOTIFICATION } });
  });

  it.each([
    ["an absence note", bounceMail({ status: null, words: "I am out of office" }), /no delivery status/],
    ["a report of success", bounceMail({ status: statusPart({ action: "delivered" }) }), /"delivered"/],
    ["nothing", "", /no delivery status/],
    ["noise", "\0\xff\r\n\r\n<html>", /no delivery status/],
  ])("is not %s", async (_, message, because) => {
    expect(await readBounce(message, null)).toEqual({
      outcome: "NoBounce",
      because: expect.stringMatching(because),
    });
  });

  it("with any content is read or refused, and its text stays on one short line", () =>
    fc.assert(
      fc.asyncProperty(anyText, anyText, async (diagnostic, words) => {
        const read = await readBounce(bounceMail({ status: statusPart({ diagnostic }), words }), null);
        if (read.outcome === "Bounce") expect(read.bounce.detail).toMatch(/^[^\p{Cc}\p{Surrogate}]{1,300}$/u);
      }),
      { numRuns: runs(50) },
    ));
});

function address(): string {
  return "bounces+019c8b5a1d3c7f0080000123456789ab@brand.example";
}
