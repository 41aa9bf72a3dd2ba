import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliveryHeaders } from '../../src/features/webhooks/deliveries/request-headers.ts';
import { newSecret } from '../../src/features/webhooks/subscription-secrets.ts';
import { until } from '../support/faults.ts';
import { freePort } from '../support/program.ts';

const DOCUMENT = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
const body = '{"commandCode":"crm:create_lead","payload":{"name":"Zoë"}}';

/** How each language of the document is run, where its tools are there. */
const LANGUAGES = [
  { language: 'js', file: 'receiver.mjs', run: [process.execPath] },
  { language: 'python', file: 'receiver.py', run: ['python3'] },
  { language: 'go', file: 'receiver.go', run: ['go', 'run'] },
].filter(({ run: [tool = ''] }) => spawnSync(tool, [tool === 'go' ? 'version' : '--version']).status === 0);

const directory = mkdtempSync(join(tmpdir(), 'keelson-receivers-'));
const started: ChildProcess[] = [];

afterAll(() => {
  // A Go program runs as a child of its tool: its whole group has to go.
  for (const { pid, exitCode } of started) if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGKILL');
  rmSync(directory, { recursive: true });
});

async function start(
  { language, file, run: [tool = '', ...args] }: (typeof LANGUAGES)[number],
  secret: string,
): Promise<string> {
  const code = new RegExp(`\`\`\`${language}\\n(import|package)([\\s\\S]*?)\`\`\``).exec(DOCUMENT);
  writeFileSync(join(directory, file), `${code?.[1]}${code?.[2]}`);
  const port = await freePort();
  const env = { ...process.env, NODE_OPTIONS: '', WEBHOOK_SECRET: secret, PORT: String(port), GOPROXY: 'off' };
  started.push(spawn(tool, [...args, join(directory, file)], { env, detached: true, stdio: 'ignore' }));
  const url = `http://127.0.0.1:${port}/`;
  const answers = async () =>
    fetch(url, { method: 'POST', body: '{}' }).then(
      () => true,
      () => false,
    );
  await until(`the receiver in ${language} answers`, answers);
  return url;
}

describe('a receiver of docs/webhooks.md', () => {
  it.each(LANGUAGES)(
    'in $language takes what is signed, by either secret, and nothing else',
    async (language) => {
      const [secret, other] = [newSecret(), newSecret()];
      const url = await start(language, secret);
      const post = async (secrets: string[], sent = body, now = new Date()) => {
        const request = { eventType: 'crm:create_lead', eventPid: '01JEVENT', body, extra: {}, now, secrets };
        return (await fetch(url, { method: 'POST', headers: deliveryHeaders(request), body: sent })).status;
      };

      expect(await post([secret])).toBe(204);
      expect(await post([other, secret])).toBe(204);
      expect(await post([other])).toBe(401);
      expect(await post([])).toBe(401);
      expect(await post([secret], body.replace('Zoë', 'Zoe'))).toBe(401);
      expect(await post([secret], body, new Date(Date.now() - 600_000))).toBe(401);
    },
    180_000,
  );
});
