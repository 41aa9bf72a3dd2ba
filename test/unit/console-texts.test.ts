import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_ACTIONS } from '../../src/platform/audit/audit-log.ts';
import { AUDIT_ACTIONS as AUDIT_TEXTS } from '../../web/src/parts/administration/audit-actions.ts';
import { GROUPS } from '../../web/src/app/texts/groups.ts';
import { ZH_CN } from '../../web/src/app/texts/zh-cn.ts';

const WEB = join(import.meta.dirname, '../../web/src');
const groups = await Promise.all(Object.values(GROUPS).map((load) => load()));
const texts = [ZH_CN, ...groups].flatMap((bundle) => Object.entries<string>(bundle));
const namesIn = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

// That no text lacks its Chinese is checked by the types: English texts are the keys of that bundle.
describe('the texts of the console', () => {
  it('are all said somewhere', () => {
    const sources = globSync('**/*.{ts,tsx}', { cwd: WEB })
      .filter((file) => !file.startsWith('app/texts/'))
      .map((file) => readFileSync(join(WEB, file), 'utf8'))
      .join('\n');
    const isSaid = (text: string): boolean =>
      sources.includes(`'${text.replaceAll("'", "\\'")}'`) || sources.includes(`"${text}"`);

    expect(texts.map(([english]) => english).filter((english) => !isSaid(english))).toEqual([]);
  });

  it('say each action of the audit trail', () => {
    expect([...AUDIT_TEXTS.keys()].sort()).toEqual([...AUDIT_ACTIONS].sort());
  });

  it('have the same values in both languages', () => {
    const differing = texts.filter(([english, chinese]) => namesIn(english).join() !== namesIn(chinese).join());

    expect(differing).toEqual([]);
  });

  it('are each in one bundle, with Chinese of their own', () => {
    const keys = globSync('app/texts/zh-cn/**/*.ts', { cwd: WEB }).flatMap((file) =>
      Array.from(
        readFileSync(join(WEB, file), 'utf8').matchAll(/^ {2}(?:'((?:[^'\\]|\\.)*)'|"([^"]*)"|(\w+)):/gm),
        ([, a, b, c]) => a ?? b ?? c,
      ),
    );

    expect(keys).toHaveLength(texts.length);
    expect(texts.filter(([, chinese]) => chinese.trim() === '')).toEqual([]);
  });
});
