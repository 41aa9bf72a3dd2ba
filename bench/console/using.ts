import axe, { type AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { FIRST_ROW, logInto } from './window.ts';

/** What a scroll through all records shows. */
export interface Scrolled {
  readonly frames: number;
  readonly longestFrameMs: number;
  /** The longest time in which a row that is to be seen had nothing in it. */
  readonly longestBlankMs: number;
  /** The same for a row that showed that it is being read. */
  readonly longestWaitMs: number;
}

/** Scrolls a grid as a hand does: quickly for some rows, then on, and from end to end by its bar. */
export async function scrollThrough(page: Page, seconds: number): Promise<Scrolled> {
  await page.locator(FIRST_ROW).first().waitFor();
  return page.evaluate<Scrolled>(`new Promise((done, fail) => {
    // A browser that draws no more would be waited for without end.
    setTimeout(() => fail(new Error('no frame for too long')), ${(seconds + 30) * 1_000});
    const grid = document.querySelector('[role=grid]');
    const box = grid.getBoundingClientRect();
    const points = [0.2, 0.5, 0.8].map((share) => box.top + 40 + (box.height - 80) * share);
    const result = { frames: 0, longestFrameMs: 0, longestBlankMs: 0, longestWaitMs: 0 };
    const since = new Map();
    const told = (key, isSo, now, name) => {
      if (!isSo) return since.delete(key);
      if (!since.has(key)) since.set(key, now);
      result[name] = Math.max(result[name], now - since.get(key));
    };
    const began = performance.now();
    let last = began;
    const frame = (now) => {
      result.frames += 1;
      result.longestFrameMs = Math.max(result.longestFrameMs, now - last);
      last = now;
      points.forEach((y, index) => {
        const row = document.elementFromPoint(box.left + 120, y)?.closest('[role=row]');
        const cell = row?.querySelector('[role=gridcell]:nth-child(2)');
        told('blank' + index, !cell || (cell.textContent.trim() === '' && !cell.firstElementChild), now, 'longestBlankMs');
        told('wait' + index, Boolean(cell) && cell.textContent.trim() === '', now, 'longestWaitMs');
      });
      const passed = (now - began) / 1000;
      if (passed > ${seconds}) return done(result);
      // A second by the wheel, then a jump by the bar.
      if (Math.floor(passed) % 2 === 0) grid.scrollTop += 60;
      else if (Math.floor(passed * 4) !== Math.floor((passed - 0.02) * 4))
        grid.scrollTop = ((passed * 7919) % 100) / 100 * grid.scrollHeight;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  })`);
}

/** What is held after navigations: bytes of JavaScript, and nodes. */
export interface Held {
  readonly bytes: number;
  readonly nodes: number;
}

/** Goes from page to page, opens and closes records. @returns what is held at the start, and at the end */
export async function navigate(page: Page, times: number): Promise<readonly [Held, Held]> {
  const warmUp = Math.min(20, Math.floor(times / 4));
  let start: Held | null = null;
  for (let count = 0; count < times; count += 1) {
    if (count === warmUp) start = await held(page);
    const name = ['Leads', 'Deals', 'Accounts', 'Sales', 'My work'][count % 5] ?? '';
    await page.getByRole('navigation').getByRole('link', { name }).first().click();
    await page.locator('h1').filter({ hasText: name }).first().waitFor();
    if (name !== 'Leads') continue;
    await page.locator(FIRST_ROW).first().click();
    await page.getByRole('region', { name: 'Open record' }).getByRole('definition').first().waitFor();
    await page.keyboard.press('Escape');
  }
  const end = await held(page);
  return [start ?? end, end];
}

async function held(page: Page): Promise<Held> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('HeapProfiler.collectGarbage');
  await devTools.send('Performance.enable');
  const { metrics } = await devTools.send('Performance.getMetrics');
  await devTools.detach();
  const of = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return { bytes: of('JSHeapUsedSize'), nodes: of('Nodes') };
}

/** What axe finds on screens in both themes, as `theme address rule`. */
export async function axeFindings(browser: Browser, url: string, screens: readonly string[]): Promise<string[]> {
  const findings: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await logInto(browser, url, '/account', { colorScheme, reducedMotion: 'reduce' });
    for (const path of screens) {
      await page.goto(`${url}/console${path}`);
      await page.locator('main :is(h1, h2)').first().waitFor();
      await page.waitForLoadState('networkidle');
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<AxeResults>('axe.run()');
      findings.push(
        ...violations.map(({ id, nodes }) => `${colorScheme} ${path} ${id}: ${nodes[0]?.html.slice(0, 120)}`),
      );
    }
    await page.context().close();
  }
  return findings;
}
