import { consoleEndpoints } from './console.endpoints.ts';
import { CONSOLE_TEXTS } from './console.texts.ts';

/** The web console: what `npm run build:console` makes of `web/`. */
export const webConsole = {
  texts: [CONSOLE_TEXTS],

  create: () => ({ endpoints: consoleEndpoints() }),
};
