type Kind = 'key' | 'text' | 'value' | 'sign' | 'comment' | 'plain';

export interface Token {
  readonly kind: Kind;
  readonly text: string;
}

const TOKENS =
  /(?<comment>(?:^|(?<=\s))#.*$)|(?<text>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|(?<key>[\w$][\w$.:/-]*?(?=:(?:\s|$)))|(?<value>(?<=[\s,[{])(?:true|false|null|-?\d+(?:\.\d+)?)(?=[\s,\]}]|$))|(?<sign>[{}[\],]|(?<=^\s*)- |[|>][+-]?$)/g;

/** The parts of a line, to colour them. A line by itself: texts of several lines are coloured as the rest. */
export function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of line.matchAll(TOKENS)) {
    if (match.index > end) tokens.push({ kind: 'plain', text: line.slice(end, match.index) });
    const [kind = 'plain'] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [];
    tokens.push({ kind: kind as Kind, text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < line.length) tokens.push({ kind: 'plain', text: line.slice(end) });
  return tokens;
}
