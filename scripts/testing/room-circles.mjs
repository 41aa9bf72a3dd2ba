import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** In comments of JavaScript and in types, too. oxfmt writes single quotes. */
const imports = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

/**
 * Finds rooms that lie in circles, in a folder and in all folders below it. A folder's direct entries are its
 * rooms, also a file beside a folder; an import from one room into another is an arrow, also that of a type.
 * @param {string} folder
 * @returns {{folder: string, steps: {room: string, import: string}[]}[]} short circles; each step is a room
 *   and an import that leads into the next room
 */
export function roomCircles(folder) {
  const arrows = arrowsByFolder(folder);
  return [...arrows].flatMap(([at, ofFolder]) => circlesOf(ofFolder).map((steps) => ({ folder: at, steps })));
}

/**
 * @typedef {Map<string, Map<string, string>>} Arrows for each room those that it imports, by one import each
 * @returns {Map<string, Arrows>} by folder
 */
function arrowsByFolder(/** @type {string} */ root) {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && !path.endsWith('.d.ts'))
    .map((path) => join(root, path))
    .sort();
  const known = new Set(files);
  /** @type {Map<string, Arrows>} */
  const byFolder = new Map();
  for (const file of files) {
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(imports)) {
      const target = join(dirname(file), specifier);
      if (!known.has(target) || target === file) continue;
      // The arrow is in one folder: where the two paths part.
      const [from, to] = [file.split('/'), target.split('/')];
      const depth = from.findIndex((part, index) => part !== to[index]);
      const folder = from.slice(0, depth).join('/');
      const [room = '', other = ''] = [from[depth], to[depth]];
      const arrows = entryOf(byFolder, folder, () => new Map());
      const ofRoom = entryOf(arrows, room, () => new Map());
      entryOf(ofRoom, other, () => `${file} -> ${target}`);
    }
  }
  return byFolder;
}

/** The shortest circles, none through a room of an earlier one. */
function circlesOf(/** @type {Arrows} */ arrows) {
  const circles = [];
  const named = new Set();
  const found = [...arrows.keys()].map((room) => wayBack(room, arrows)).filter((way) => way !== undefined);
  for (const way of found.sort((a, b) => a.length - b.length)) {
    if (way.some((room) => named.has(room))) continue;
    way.forEach((room) => named.add(room));
    circles.push(
      way.map((room, index) => {
        const next = way[(index + 1) % way.length] ?? '';
        return { room, import: arrows.get(room)?.get(next) ?? '' };
      }),
    );
  }
  return circles;
}

/** The rooms of the shortest way from a room back to itself, breadth first. */
function wayBack(/** @type {string} */ start, /** @type {Arrows} */ arrows) {
  const seen = new Set();
  let ways = [[start]];
  while (ways.length > 0) {
    /** @type {string[][]} */
    const longer = [];
    for (const way of ways) {
      for (const next of arrows.get(way.at(-1) ?? '')?.keys() ?? []) {
        if (next === start) return way;
        if (!seen.has(next)) longer.push([...way, next]);
        seen.add(next);
      }
    }
    ways = longer;
  }
  return undefined;
}

/**
 * @template Key, Value
 * @param {Map<Key, Value>} map
 * @param {Key} key
 * @param {() => Value} make
 */
function entryOf(map, key, make) {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
