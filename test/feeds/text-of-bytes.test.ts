import { describe, expect, test } from "vitest";
import { textOfBytes } from "../../src/feeds/run/text-of-bytes.ts";

const hex = (bytes: string) => Buffer.from(bytes.replaceAll(" ", ""), "hex");
const latin = (text: string) => Buffer.from(text, "latin1");
const utf8 = (text: string) => Buffer.from(text);
const utf16 = (text: string) => Buffer.from(text, "utf16le");
const bigEndian = (text: string) => utf16(text).swap16();
const utf32 = (points: readonly number[], isBig: boolean) => {
  const bytes = Buffer.alloc(points.length * 4);
  for (const [n, point] of points.entries())
    if (isBig) bytes.writeUInt32BE(point, 4 * n);
    else bytes.writeUInt32LE(point, 4 * n);
  return bytes;
};
const pointsOf = (text: string) => [...text].map((one) => one.codePointAt(0) ?? 0);
const PRIVET = hex("cf f0 e8");
const JAPANESE = Buffer.concat([utf8("<a>"), hex("1b 24 42 46 7c 4b 5c 1b 28 42")]);

describe("a charset", () => {
  test.each<[string, Buffer, string | null, string]>([
    ["nothing", utf8(""), null, ""],
    ["of the header", PRIVET, "text/xml; charset=windows-1251", "При"],
    ["of the header in quotation marks", PRIVET, 'text/xml;charset="windows-1251"', "При"],
    [
      "of the XML",
      Buffer.concat([latin('<?xml version="1.0" encoding="windows-1251"?>'), PRIVET]),
      null,
      '<?xml version="1.0" encoding="windows-1251"?>При',
    ],
    [
      "of the HTML",
      Buffer.concat([latin('<meta charset="windows-1251">'), PRIVET]),
      null,
      '<meta charset="windows-1251">При',
    ],
    [
      "of the XML before that of the HTML",
      Buffer.concat([latin("<?xml encoding='windows-1251'?><meta charset=koi8-r>"), PRIVET]),
      null,
      "<?xml encoding='windows-1251'?><meta charset=koi8-r>При",
    ],
    [
      "of the header before that of the XML",
      Buffer.concat([latin("<?xml encoding='koi8-r'?>"), PRIVET]),
      "text/xml; charset=windows-1251",
      "<?xml encoding='koi8-r'?>При",
    ],
    [
      "that does not fit gives way to the next one",
      Buffer.concat([latin("<?xml encoding='windows-1251'?>"), PRIVET]),
      "text/xml; charset=utf-8",
      "<?xml encoding='windows-1251'?>При",
    ],
    [
      "named after 1,024 bytes does not count",
      Buffer.concat([latin(`${" ".repeat(1_100)}<meta charset=windows-1251>`), PRIVET]),
      null,
      `${" ".repeat(1_100)}<meta charset=windows-1251>Ïðè`,
    ],
    ["that nobody knows", latin("Grüße"), "text/xml; charset=klingon", "Grüße"],
    ["of Japanese mails, all ASCII", JAPANESE, "text/xml; charset=iso-2022-jp", "<a>日本"],
    [
      "of Japanese mails, whatever the XML says",
      Buffer.concat([latin("<?xml encoding='utf-8'?>"), JAPANESE]),
      "text/xml; charset=iso-2022-jp",
      "<?xml encoding='utf-8'?><a>日本",
    ],
    ["of Japanese mails that is not kept", hex("47 72 c3"), "text/xml; charset=iso-2022-jp", "Gr\ufffd"],
    ["that is not kept: it is UTF-8", utf8("Grüße"), "text/xml; charset=koi8-r", "Grüße"],
    [
      "that is not kept, with a sign of Japanese mails",
      utf8("Grüße\u001b"),
      "text/xml; charset=koi8-r",
      "Grüße\u001b",
    ],
    [
      "of Chinese that looks like UTF-8 in part",
      hex("c4 a3 d6 a7 c4 a3 d6 d0"),
      "text/xml; charset=gbk",
      "模支模中",
    ],
    ["UTF-8 that is not kept", latin("Grüße"), "text/xml; charset=utf-8", "Grüße"],
    ["with the quotation marks of Windows", hex("93 61 94 80 9f"), "text/xml; charset=iso-8859-1", "“a”€Ÿ"],
    ["with a place that Windows has left empty", hex("81 e9"), null, "\u0081é"],
  ])("%s", (_name, bytes, contentType, text) => {
    expect(textOfBytes(bytes, contentType)).toBe(text);
  });
});

// As KOI8-R every byte is a letter: what is read as UTF-8 here was taken for it by its bytes.
describe("UTF-8 that was cut off inside a character", () => {
  test.each([
    ["after one byte of two", "c3"],
    ["after the least first byte of two", "c2"],
    ["after one byte of three", "e6"],
    ["after two bytes of three", "e6 97"],
    ["after two bytes of three, the second as small as it can be", "e3 80"],
    ["after two bytes of three, the first as small as it can be", "e0 a4"],
    ["after one byte of four", "f0"],
    ["after two bytes of four", "f0 9f"],
    ["after the greatest first byte", "f4"],
    ["after three bytes of four", "f0 9f 98"],
  ])("%s", (_name, end) => {
    for (const before of ["", "Grüße "])
      expect(textOfBytes(Buffer.concat([utf8(before), hex(end)]), "text/xml; charset=koi8-r")).toBe(
        `${before}\ufffd`,
      );
  });

  test.each([
    ["a byte that begins nothing", "47 72 a9"],
    ["a beginning before a letter", "78 e3 41"],
    ["a beginning before another one", "78 e3 c3"],
    ["a beginning before a byte that begins nothing", "78 e3 c0"],
    ["three bytes that are no character", "78 e0 80 80"],
    ["a beginning behind what is no UTF-8", "fc 20 c3"],
  ])("is not %s", (_name, bytes) => {
    const koi8 = new TextDecoder("koi8-r").decode(hex(bytes));
    expect(textOfBytes(hex(bytes), "text/xml; charset=koi8-r")).toBe(koi8);
  });
});

describe("without a name, with a byte that is no UTF-8", () => {
  test.each([
    ["two letters of two bytes", "éé\ufffd", "c3 a9 c3 a9 fc"],
    ["two letters with the least first byte", "©©\ufffd", "c2 a9 c2 a9 fc"],
    ["two letters of three bytes", "日日\ufffd", "e6 97 a5 e6 97 a5 fc"],
    ["two letters of three bytes with the least first one", "हह\ufffd", "e0 a4 b9 e0 a4 b9 fc"],
    ["two letters of four bytes", "😀😀\ufffd", "f0 9f 98 80 f0 9f 98 80 fc"],
    ["two letters and the rest of one", "éé\ufffd", "c3 a9 c3 a9 a9"],
  ])("%s are UTF-8", (_name, text, bytes) => {
    expect(textOfBytes(hex(bytes), null)).toBe(text);
    expect(textOfBytes(hex(bytes), "text/xml; charset=iso-8859-1")).toBe(text);
  });

  test.each([
    ["as many letters as other bytes", "Ã©ü ", "c3 a9 fc 20"],
    ["a last letter that begins no character of UTF-8", "Menü", "4d 65 6e fc"],
    ["a last letter behind the last one that begins one", "aõ", "61 f5"],
    ["a letter and the sign of the euro", "Ã©€", "c3 a9 80"],
    ["two signs that look like the rest of a letter", "©©", "a9 a9"],
    ["a first byte before a letter", "Ãn", "c3 6e"],
    ["a first byte before another one", "Ãé ", "c3 e9 20"],
    ["a sign at the end", "Gr©", "47 72 a9"],
  ])("%s are Windows-1252", (_name, text, bytes) => {
    expect(textOfBytes(hex(bytes), null)).toBe(text);
  });
});

describe("UTF-16 and UTF-32", () => {
  test.each([
    ["<a>Grüße 😀"],
    // Their third and fourth bytes look like those of a mark of UTF-32.
    ["A﹁"],
    ["Aþ"],
    ["A一"],
    ["AB"],
  ])("%s is read, with a mark and without", (text) => {
    for (const bytes of [utf16(text), bigEndian(text), utf16(`\ufeff${text}`), bigEndian(`\ufeff${text}`)])
      expect(textOfBytes(bytes, "text/xml; charset=utf-8")).toBe(text);
    for (const isBig of [true, false])
      for (const mark of ["", "\ufeff"])
        expect(textOfBytes(utf32(pointsOf(mark + text), isBig), null)).toBe(text);
  });

  test.each([["þab"], ["ÿab"], ["aÿb"], ["aþb"], ["abþd"], ["\0"], ["\0\0AB"], ["\0\0\0\0A"], ["AB\0\0"]])(
    "%j is neither",
    (text) => {
      expect(textOfBytes(latin(text), null)).toBe(text);
    },
  );

  test("numbers of UTF-32 that are no character are one unknown character each", () => {
    const points = [0x41, 0xd7ff, 0xd800, 0xdfff, 0xe000, 0xfeff, 0x10ffff, 0x110000];
    const text = `A\ud7ff\ufffd\ufffd\ue000\ufeff${String.fromCodePoint(0x10ffff)}\ufffd`;
    for (const isBig of [true, false]) expect(textOfBytes(utf32(points, isBig), null)).toBe(text);
    // The last one was cut off.
    expect(textOfBytes(utf32([0x41, 0x42], true).subarray(0, 7), null)).toBe("A");
  });
});
