export interface SplitSource {
  /** Without comments; strings are there. For import statements. */
  readonly statements: string;
  /** Without comments, and with every string and regular expression emptied. */
  readonly code: string;
  /** The texts of the strings; what is in `${…}` is code. */
  readonly strings: readonly string[];
}

/** Separates the code of a TypeScript file from its comments and strings, well enough to search in one of them. */
export function splitSource(source: string): SplitSource {
  let statements = "";
  let code = "";
  const strings: string[] = [];
  /** Open template strings; each counts the braces that are open inside its `${…}`. */
  const templates: { text: string; braces: number }[] = [];
  let at = 0;

  const readTemplate = (text: string): void => {
    let read = text;
    while (at < source.length && source[at] !== "`" && !source.startsWith("${", at)) {
      if (source[at] === "\\") read += source[at++];
      read += source[at++];
    }
    if (source.startsWith("${", at)) {
      templates.push({ text: `${read} `, braces: 0 });
      at += 2;
      code += " ${";
      statements += " ${";
    } else {
      strings.push(read);
      at++;
      code += "``";
      statements += "``";
    }
  };

  while (at < source.length) {
    const char = source[at] ?? "";
    const open = templates.at(-1);
    if (source.startsWith("//", at)) {
      at = indexOr(source, "\n", at);
    } else if (source.startsWith("/*", at)) {
      at = indexOr(source, "*/", at + 2) + 2;
      code += " ";
      statements += " ";
    } else if (char === "`") {
      at++;
      readTemplate("");
    } else if (open !== undefined && char === "}" && open.braces === 0) {
      templates.pop();
      at++;
      readTemplate(open.text);
    } else if (char === '"' || char === "'" || (char === "/" && beginsRegExp(code))) {
      const end = endOfLiteral(source, at);
      if (char !== "/") strings.push(source.slice(at + 1, end));
      code += char + char;
      statements += char === "/" ? "//" : source.slice(at, end + 1);
      at = end + 1;
    } else {
      if (open !== undefined) open.braces += char === "{" ? 1 : char === "}" ? -1 : 0;
      code += char;
      statements += char;
      at++;
    }
  }
  return { statements, code, strings };
}

function indexOr(source: string, what: string, from: number): number {
  const found = source.indexOf(what, from);
  return found === -1 ? source.length : found;
}

/** A slash divides after a value, and begins a regular expression after an operator, a bracket or a keyword. */
function beginsRegExp(codeBefore: string): boolean {
  return /(?:^|[=(,:;![{}?&|+\-*%~^<>]|\b(?:return|typeof|case|in|of|await|yield|void))$/.test(
    codeBefore.trimEnd(),
  );
}

function endOfLiteral(source: string, start: number): number {
  const quote = source[start];
  let inClass = false;
  for (let at = start + 1; at < source.length; at++) {
    const char = source[at];
    if (char === "\\") at++;
    else if (char === "\n") return at;
    else if (quote === "/" && char === "[") inClass = true;
    else if (quote === "/" && char === "]") inClass = false;
    else if (char === quote && !inClass) return at;
  }
  return source.length;
}
