import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const SDK = new URL('../../sdk/', import.meta.url);

describe('@keelson/client', () => {
  it('is smaller than 5 kB, minified and compressed, and imports nothing', async () => {
    const { outputFiles, metafile } = await build({
      entryPoints: [new URL('src/index.ts', SDK).pathname],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'neutral',
      target: 'es2022',
      metafile: true,
    });

    expect(Object.keys(metafile.inputs).filter((path) => !path.includes('sdk/src/'))).toEqual([]);
    expect(gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length).toBeLessThan(5_000);
    const manifest = JSON.parse(readFileSync(new URL('package.json', SDK), 'utf8')) as Record<string, unknown>;
    expect([manifest.dependencies, manifest.peerDependencies]).toEqual([undefined, undefined]);
  });
});
