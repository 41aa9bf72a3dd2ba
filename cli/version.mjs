import { readFileSync } from 'node:fs';

/** One with the service's: in the repository `../package.json` is the service's, in the package its own. */
export const VERSION = String(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version);
