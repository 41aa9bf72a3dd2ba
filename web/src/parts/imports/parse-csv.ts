const DELIMITERS = [',', ';', '\t', '|'];

/** The lines of a CSV text (RFC 4180). The server judges it: this shows what it has judged. */
export function parseCsv(given: string, delimiter?: string): string[][] {
  const text = given.replace(/^\uFEFF/, '');
  const [line = '', separator] = /^"?sep=([^"\r\n])"?(?:\r\n|\r|\n|$)/iu.exec(text) ?? [];
  const rest = text.slice(line.length);
  return linesOf(rest, delimiter ?? separator ?? guess(rest));
}

/** That which the first line has most of. */
function guess(text: string): string {
  const first = text.split(/\r\n|\r|\n/, 1)[0] ?? '';
  const counts = DELIMITERS.map((one) => first.split(one).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

function linesOf(text: string, delimiter: string): string[][] {
  const lines: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endCell = () => {
    cells.push(cell);
    cell = '';
  };
  const endLine = () => {
    endCell();
    lines.push(cells);
    cells = [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === delimiter) endCell();
    else if (character === '\n' || character === '\r') {
      if (character === '\r' && text[at + 1] === '\n') at += 1;
      endLine();
    } else cell += character;
  }
  if (cell !== '' || cells.length > 0) endLine();
  return lines;
}
