import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

const nothing = (): void => {};
const PASSED_OVER: TokenizerCallbacks = {
  onattribdata: nothing,
  onattribend: nothing,
  onattribentity: nothing,
  onattribname: nothing,
  oncdata: nothing,
  onclosetag: nothing,
  oncomment: nothing,
  ondeclaration: nothing,
  onend: nothing,
  onopentagend: nothing,
  onopentagname: nothing,
  onprocessinginstruction: nothing,
  onselfclosingtag: nothing,
  ontext: nothing,
  ontextentity: nothing,
};

/** One pass over a whole text by the tokenizer alone; what has no handler is passed over. */
export function tokenize(
  text: string,
  options: { readonly decodeEntities: boolean; readonly xmlMode: boolean },
  handlers: Partial<TokenizerCallbacks>,
): void {
  const tokenizer = new Tokenizer(options, { ...PASSED_OVER, ...handlers });
  tokenizer.write(text);
  tokenizer.end();
}
