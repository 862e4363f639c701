/** Words of one meaning of a name, the frequent ones first. */
export const KETTLES =
  "kettle boiler steam recall warranty lid tea retailer appliance kitchen spout handle electric stainless refund".split(
    " ",
  );
export const CARTOONS =
  "coyote cartoon anvil roadrunner desert dynamite episode animation studio rocket gag tunnel chase trap painted".split(
    " ",
  );
export const CERTIFICATES =
  "certificate certbot renewal nginx domain tls challenge dns server script cron wildcard issuer token config".split(
    " ",
  );
const OTHERS =
  "yesterday several another during including whether morning however although perhaps tuesday friday added moved learned found wrote called asked reported".split(
    " ",
  );

/** Headlines with the name, of which two in five words are of the meaning. The same seed gives the same ones. */
export function acmeTexts(count: number, meaning: readonly string[], seed: number): readonly string[] {
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const pick = (words: readonly string[]) => words[Math.floor(words.length * random() ** 1.5)];
  return Array.from({ length: count }, () => {
    const words = Array.from({ length: 14 }, () => pick(random() < 0.4 ? meaning : OTHERS));
    return `Acme ${words.join(" ")}`;
  });
}
