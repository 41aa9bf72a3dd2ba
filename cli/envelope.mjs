/** @returns {any} null if it is not JSON */
export function parseJson(/** @type {string} */ text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * The bytes of an envelope's `data`, unchanged: parsing and printing would change numbers, and so the
 * checksum of an export.
 * @param {string} text valid JSON, an object
 * @returns {string | null} null without a `data`
 */
export function dataText(text) {
  let at = skipSpace(text, text.indexOf('{') + 1);
  while (text[at] === '"') {
    const keyEnd = endOfValue(text, at);
    const key = JSON.parse(text.slice(at, keyEnd));
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, start);
    if (key === 'data') return text.slice(start, end);
    at = skipSpace(text, skipSpace(text, end) + 1);
  }
  return null;
}

/** @returns {number} the index after the value that starts at `start` */
function endOfValue(/** @type {string} */ text, /** @type {number} */ start) {
  if (text[start] === '"') return endOfString(text, start);
  if (!'{['.includes(text[start] ?? ''))
    return start + (/^[^\s,}\]]*/.exec(text.slice(start, start + 64))?.[0].length ?? 0);
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === '{' || character === '[') depth += 1;
    else if ((character === '}' || character === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}

function endOfString(/** @type {string} */ text, /** @type {number} */ start) {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function skipSpace(/** @type {string} */ text, /** @type {number} */ at) {
  while (' \t\r\n'.includes(text[at] ?? 'x')) at += 1;
  return at;
}
