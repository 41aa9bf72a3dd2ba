import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Where requests go on to during development. */
const service = process.env.KEELSON_URL ?? 'http://127.0.0.1:6443';

/** The console: `npm run build:console` builds it, `npm run dev` serves it with hot reload. */
export default defineConfig({
  root: here('./'),
  base: '/console/',
  cacheDir: here('../node_modules/.cache/vite'),
  resolve: { alias: { '@keelson/client': here('../sdk/src/index.ts') } },
  css: { modules: { generateScopedName: '[name]_[local]_[hash:base64:4]' } },
  server: { proxy: { '/api': service } },
  build: {
    outDir: here('./dist'),
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page allows no data: URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: 'manifest.json',
    rolldownOptions: {
      output: {
        // Small files that most screens share are one: together they compress better.
        codeSplitting: {
          groups: [
            {
              name: 'shared',
              test: /\/web\/src\/(?:app\/(?!texts\/)|ui\/(?!KeyMap|Progress|ScreenHead|SettledSelect))/,
            },
          ],
        },
      },
      onwarn(warning, handle) {
        // Packages mark what a server must not draw: here is none.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') handle(warning);
      },
    },
  },
});
