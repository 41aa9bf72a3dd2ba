import { client } from './client.ts';
import { reloadKeeping } from './kept-state.ts';

/** A page that lacks a file is loaded again, but not for ever. */
const RELOAD_PAUSE_MS = 60_000;
const RELOADED = 'keelson:reloaded';

/** Styles that did not come: the loader of modules asks for each of them once. */
const missingStyles = new Set<HTMLLinkElement>();
document.addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') missingStyles.add(target);
  },
  true,
);

/**
 * Loads a part of the console when it is needed. Where a newer version has taken its place, or the browser
 * does not ask for a file again, the page is loaded again once.
 * @throws KeelsonError where the service is away
 */
export async function loadPart<P>(load: () => Promise<P>): Promise<P> {
  try {
    return await loadWithStyles(load);
  } catch (error) {
    const response = await client.send('GET', '/console', { isPublic: true });
    const served = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (scriptOf(served) !== scriptOf(document)) return reloadOnce(error);
    return await loadWithStyles(load).catch(reloadOnce);
  }
}

export async function loadWithStyles<P>(load: () => Promise<P>): Promise<P> {
  await Promise.all([...missingStyles].map(loadAgain));
  return load();
}

function loadAgain(link: HTMLLinkElement): Promise<void> {
  missingStyles.delete(link);
  return new Promise((resolve, reject) => {
    const again = link.cloneNode() as HTMLLinkElement;
    again.onload = () => resolve();
    again.onerror = () => reject(new Error(`${again.href} cannot be loaded`));
    link.replaceWith(again);
  });
}

/** Its name changes with each version. */
function scriptOf(page: Document): string | null | undefined {
  return page.querySelector('script[type=module]')?.getAttribute('src');
}

function reloadOnce(error: unknown): Promise<never> {
  const last = Number(sessionStorage.getItem(RELOADED));
  if (Date.now() - last < RELOAD_PAUSE_MS) throw error;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  reloadKeeping();
  return new Promise(() => {});
}
