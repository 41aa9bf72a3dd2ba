import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { roomCircles } from '../../scripts/testing/room-circles.mjs';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

/** Writes files that hold nothing but imports, and finds their circles. */
async function circlesOf(files: Record<string, string[]>): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'keelson-rooms-'));
  folders.push(root);
  for (const [path, lines] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), lines.join('\n'));
  }
  return roomCircles(root).map(({ folder, steps }) =>
    [folder, ...steps.map((step) => `${step.room}: ${step.import}`)].join('\n').replaceAll(root, '.'),
  );
}

describe('rooms in circles', () => {
  it('are a folder and a file beside it that import each other, although no file does', async () => {
    const files = {
      'shop/order.ts': ["import { price } from './prices/price.ts';"],
      'shop/prices/price.ts': ["import { readFileSync } from 'node:fs';"],
      'shop/prices/discount.ts': ["import type { Order } from '../order.ts';"],
    };

    expect(await circlesOf(files)).toEqual([
      './shop\norder.ts: ./shop/order.ts -> ./shop/prices/price.ts\nprices: ./shop/prices/discount.ts -> ./shop/order.ts',
    ]);
  });

  it('are named by the shortest way round, in every folder, whatever the kind of the import', async () => {
    const files = {
      'a/one.ts': ["export * from '../b/two.ts';"],
      'b/two.ts': ["const three = await import('../c/three.mjs');"],
      'c/three.mjs': ["/** @typedef {import('../a/one.ts').One} One */"],
      'a/other.ts': ["import '../b/two.ts';", "import '../c/three.mjs';"],
      'd/x.ts': ["import '../a/one.ts';", "import './y/z.ts';"],
      'd/y/z.ts': ["import '../x.ts';"],
    };

    expect(await circlesOf(files)).toEqual([
      '.\na: ./a/other.ts -> ./c/three.mjs\nc: ./c/three.mjs -> ./a/one.ts',
      './d\nx.ts: ./d/x.ts -> ./d/y/z.ts\ny: ./d/y/z.ts -> ./d/x.ts',
    ]);
  });

  it('are none where arrows go one way', async () => {
    const files = {
      'top.ts': ["import './middle/a.ts';", "import './bottom.ts';", "import './missing.ts';"],
      'middle/a.ts': ["import './b.ts';", "import '../bottom.ts';"],
      'middle/b.ts': [],
      'bottom.ts': [],
    };

    expect(await circlesOf(files)).toEqual([]);
  });
});
