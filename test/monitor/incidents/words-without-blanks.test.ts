import { describe, expect, test } from "vitest";
import { materialOf, sharedWith } from "../../../src/monitor/incidents/material.ts";
import type { StoryMention } from "../../../src/monitor/model/mention.ts";
import { aMention } from "../../mention.ts";

let next = 0;
/** By an author and in a story of its own: only words can be shared. */
function told(text: string): StoryMention {
  const id = `m${++next}`;
  return { mention: aMention({ resourceId: id, text, author: id }), story: id };
}

interface Talk {
  readonly everyDay: readonly string[];
  readonly crisis: readonly string[];
  readonly alsoOfIt: readonly string[];
  readonly somethingElse: readonly string[];
}

const TALKS: Readonly<Record<string, Talk>> = {
  Japanese: {
    everyDay: [
      "アクメの新しい色がとても可愛い、週末に買いに行く予定",
      "アクメで働く友人が今日も楽しそうに仕事の話をしていた",
      "昨日アクメの店舗で店員さんに親切に案内してもらった",
      "アクメの広告を駅で見かけた、モデルが素敵だった",
      "子供の誕生日にアクメの商品を贈る、喜んでくれるといいな",
      "アクメのアプリで注文した荷物が明日届くので楽しみ",
    ],
    crisis: [
      "アクメの充電器が爆発した、机が焦げている",
      "充電中に電池が爆発して火事になるところだった",
      "アクメの電池、寝ている間に発火。本当に怖い",
      "隣の家でアクメの電池が爆発したらしい、消防車が来た",
      "電池の発火事故なのに回収の案内がない",
    ],
    alsoOfIt: ["うちの電池も膨らんでいる。爆発する前に捨てる", "発火した電池の写真、回収はいつになるのか"],
    somethingElse: [
      "アクメの社長が脱税の疑いで逮捕されたと報道",
      "アクメの新しい店舗が来月に開店、予約は今日から",
      "アクメの荷物が三日も届かない、問い合わせの電話も繋がらない",
    ],
  },
  Chinese: {
    everyDay: [
      "今天去阿克米的门店买了新款外套,颜色很好看",
      "朋友推荐阿克米的会员卡,积分可以换礼物",
      "周末在商场看到阿克米的广告,模特很漂亮",
      "阿克米的客服态度不错,很快解决了我的问题",
      "给孩子买了阿克米的玩具,他非常喜欢",
    ],
    crisis: [
      "阿克米的充电宝在家里爆炸,桌子都烧坏了",
      "充电的时候电池突然爆炸,差点引起火灾",
      "阿克米的电池半夜起火,太可怕了",
      "邻居家的阿克米电池爆炸了,消防车都来了",
      "电池起火事故这么多,为什么还不召回",
    ],
    alsoOfIt: ["我的电池也鼓包了,会不会爆炸?", "电池起火以后联系不上他们"],
    somethingElse: [
      "阿克米老板因为偷税被警方带走调查",
      "阿克米的快递三天还没到,电话也打不通",
      "阿克米新店下个月开业,现在可以预约",
    ],
  },
  Korean: {
    everyDay: [
      "애크미 매장에서 새 옷을 샀는데 색이 정말 예뻐요",
      "친구가 애크미 회원 카드를 추천해 줬다 포인트로 선물 교환",
      "역에서 애크미 광고를 봤는데 모델이 예쁘다",
      "애크미 고객센터 직원이 친절하게 문제를 해결해 줬어요",
      "아이 생일에 애크미 장난감을 사 줬더니 좋아한다",
      "애크미 앱으로 주문한 물건이 내일 온다",
    ],
    crisis: [
      "애크미 충전기가 폭발해서 책상이 다 탔어요",
      "충전 중에 배터리가 폭발해 불이 날 뻔했다",
      "애크미 배터리에서 한밤중에 화재, 너무 무섭다",
      "옆집 애크미 배터리가 폭발했다고 소방차가 왔다",
      "배터리 화재 사고가 이렇게 많은데 왜 리콜을 안 하나",
    ],
    alsoOfIt: ["우리 집 배터리도 부풀었는데 폭발할까 봐 무섭다", "배터리 화재 이후로 연락이 안 된다"],
    somethingElse: [
      "애크미 대표가 탈세 혐의로 체포됐다는 보도",
      "애크미 택배가 사흘째 안 오고 전화도 안 받는다",
      "애크미 새 매장이 다음 달에 문을 연다, 예약은 오늘부터",
    ],
  },
  Thai: {
    everyDay: [
      "วันนี้ไปซื้อเสื้อใหม่ที่ร้านแอคมี สีสวยมาก",
      "เพื่อนแนะนำบัตรสมาชิกของแอคมี สะสมคะแนนแลกของขวัญได้",
      "เห็นโฆษณาแอคมีที่สถานีรถไฟ นางแบบน่ารัก",
      "พนักงานร้านแอคมีใจดี ช่วยแก้ปัญหาให้เร็วมาก",
      "ซื้อของเล่นแอคมีให้ลูก ลูกชอบมาก",
      "สั่งของจากแอคมีแล้ว ยังไม่ได้ลองใช้",
    ],
    crisis: [
      "แบตเตอรี่แอคมีระเบิดในบ้าน โต๊ะไหม้หมด",
      "ตอนชาร์จอยู่ แบตเตอรี่ก็ระเบิด เกือบไฟไหม้",
      "แบตเตอรี่ของแอคมีไฟไหม้กลางดึก น่ากลัวมาก",
      "ข้างบ้านแบตเตอรี่แอคมีระเบิด รถดับเพลิงมาแล้ว",
      "แบตเตอรี่ไฟไหม้หลายครั้ง ทำไมยังไม่เรียกคืน",
    ],
    alsoOfIt: ["แบตเตอรี่ของฉันบวม กลัวจะระเบิด", "หลังจากแบตเตอรี่ไฟไหม้ ติดต่อบริษัทไม่ได้"],
    somethingElse: [
      "เจ้าของแอคมีถูกตำรวจจับเรื่องภาษี",
      "พัสดุจากแอคมีสามวันแล้วยังไม่มา โทรไปไม่มีคนรับ",
      "แอคมีจะเปิดสาขาใหม่เดือนหน้า จองได้วันนี้",
    ],
  },
};

describe.each(Object.entries(TALKS))("in %s, where blanks do not part words", (_, talk) => {
  const before = Array.from({ length: 60 }, (_, n) => told(talk.everyDay[n % talk.everyDay.length] ?? ""));
  const material = materialOf(
    Array.from({ length: 25 }, (_, n) => told(talk.crisis[n % talk.crisis.length] ?? "")),
    before,
  );
  test("what tells the same in its own words joins", () => {
    for (const text of talk.alsoOfIt) expect(sharedWith([told(text)], material), text).toBe("words");
  });
  test("what tells something else does not, and what is said every day neither", () => {
    for (const text of [...talk.somethingElse, ...talk.everyDay])
      expect(sharedWith([told(text)], material), text).toBeNull();
  });
});

test("pairs of characters that overlap are one word", () => {
  const tokyo = materialOf(
    Array.from({ length: 20 }, () => told("東京都の停電")),
    [],
  );
  expect(sharedWith([told("東京都に住む")], tokyo)).toBeNull();
  expect(sharedWith([told("停電した東京")], tokyo)).toBe("words");
});

test("a word in katakana is one word, however long", () => {
  const battery = materialOf(
    Array.from({ length: 20 }, () => told("バッテリーの回収")),
    [],
  );
  expect(sharedWith([told("バッテリーを買った")], battery)).toBeNull();
  expect(sharedWith([told("バッテリーを回収してほしい")], battery)).toBe("words");
});
