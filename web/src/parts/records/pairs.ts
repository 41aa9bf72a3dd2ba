/** Reads `amount:avg,score:none`, as addresses have it. */
export function parsePairs(text: string | undefined): Map<string, string> {
  const pairs = (text ?? '').split(',').map((pair) => pair.split(':'));
  return new Map(pairs.flatMap(([code = '', value = '']) => (code !== '' && value !== '' ? [[code, value]] : [])));
}

/** Writes them; undefined where there are none. */
export function writePairs(pairs: ReadonlyMap<string, string | number>): string | undefined {
  const text = [...pairs].map(([code, value]) => `${code}:${value}`).join(',');
  return text === '' ? undefined : text;
}
