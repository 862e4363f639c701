import fc from "fast-check";
import { expect, test } from "vitest";
import { storableText } from "../../../src/lib/text.ts";
import { parseJson } from "../../../src/monitor/source/parse-json.ts";

function readBack(bytes: Buffer): unknown {
  const { value, read } = parseJson(bytes, { longIds: false });
  return (value as { text: string }[]).map(({ text }) => read(text));
}

test("every text reads as plain JSON gives it, made storable", () => {
  const texts = fc.array(fc.string({ unit: "binary" }), { maxLength: 20 });
  fc.assert(
    fc.property(texts, (list) => {
      const bytes = Buffer.from(JSON.stringify(list.map((text) => ({ text }))));
      expect(readBack(bytes)).toEqual(list.map(storableText));
    }),
  );
});

test("raw bytes and escapes may stand side by side", () => {
  const bytes = Buffer.from(String.raw`[{"text":"é \u00e9 \ud83d\ude0a 😊 \ud83d \u0000 \\u00e9 \n"}]`);
  expect(readBack(bytes)).toEqual(["é é 😊 😊 \ufffd \ufffd \\u00e9 \n"]);
});

test("a server may escape everything beyond ASCII", () => {
  const bytes = Buffer.from(String.raw`[{"text":"\u00e9 \ud83d\ude0a"},{"text":"plain"}]`);
  expect(readBack(bytes)).toEqual(["é 😊", "plain"]);
});

test("bytes that are no UTF-8 become the replacement character, and a mark at the start is skipped", () => {
  const bytes = Buffer.concat([
    Buffer.from([0xef, 0xbb, 0xbf]),
    Buffer.from('[{"text":"a'),
    Buffer.from([0xc3]),
    Buffer.from('"},{"text":"ü"}]'),
  ]);
  expect(readBack(bytes)).toEqual(["a\ufffd", "ü"]);
});

test("a text longer than the scratch buffer is read whole", () => {
  const text = "déjà vu ".repeat(20_000);
  expect(readBack(Buffer.from(JSON.stringify([{ text }])))).toEqual([text]);
});

test("long integer ids keep all their digits, and texts that look like them stay", () => {
  const bytes = Buffer.from(
    String.raw`{"id": 1234567890123456789 , "queryId":9007199254740993,"n":1234567890123456789,"title":"\"id\":1234567890123456789,","resourceId":"12"}`,
  );
  expect(parseJson(bytes, { longIds: true }).value).toEqual({
    id: "1234567890123456789",
    queryId: "9007199254740993",
    n: Number("1234567890123456789"),
    title: '"id":1234567890123456789,',
    resourceId: "12",
  });
});
