import { en } from '../../src/i18n/en.ts';
import { Languages, type Bundles } from '../../src/i18n/languages.ts';
import { recognise } from '../../src/i18n/recognise.ts';
import { zhCn } from '../../src/i18n/zh-cn.ts';

const OWN: Record<string, Bundles> = {
  dev: new Map([
    ['en', new Map([['crm.rule', 'A rule']])],
    ['zh', new Map([['crm.rule', '规则']])],
    ['zh-CN', new Map([['crm.own', '自己的']])],
    ['de', new Map([['validation.required', 'wird gebraucht']])],
  ]),
};
const languages = new Languages((environment) => OWN[environment ?? 'none'] ?? new Map());
const localeFor = (...accepted: string[]) => languages.languageFor(accepted, undefined).locale;
const say = (locale: string, text: string, environment = 'dev') =>
  languages.languageFor([locale], environment).say(text);

describe('the shipped bundles', () => {
  it('have the same keys, and each text the same places', () => {
    const places = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
    expect(Object.keys(zhCn).sort()).toEqual(Object.keys(en).sort());
    for (const [key, text] of Object.entries(en)) {
      expect([key, places(zhCn[key as keyof typeof zhCn])]).toEqual([key, places(text)]);
    }
  });

  it('recognise each of their texts as themselves', () => {
    for (const [key, template] of Object.entries(en)) {
      const text = template.replace(/\{(\w+)\}/g, (_, name: string) => `<${name}>`);
      expect([text, recognise(text)?.key]).toEqual([text, key]);
    }
  });
});

describe('the language of an answer', () => {
  it.each([
    [['en'], 'en'],
    [['zh-CN'], 'zh-CN'],
    [['zh'], 'zh-CN'],
    [['zh-SG'], 'zh-CN'],
    [['ZH-cn'], 'zh-CN'],
    [['en-GB'], 'en'],
    [['de', 'zh'], 'zh-CN'],
    [['de'], 'en'],
    [['*'], 'en'],
    [['fr', '*', 'zh'], 'en'],
    [[], 'en'],
    [['not a tag', '../..', '$', 'zh-CN'], 'zh-CN'],
  ])('for %j is %s', (accepted, locale) => {
    expect(localeFor(...accepted)).toBe(locale);
  });

  it('may be one that only the environment brings', () => {
    expect(languages.languageFor(['de-AT'], 'dev').locale).toBe('de');
    expect(languages.languageFor(['de-AT'], 'staging').locale).toBe('en');
  });

  it('is looked for among the first ten that somebody accepts', () => {
    expect(localeFor(...Array<string>(9).fill('de'), 'zh')).toBe('zh-CN');
    expect(localeFor(...Array<string>(10).fill('de'), 'zh')).toBe('en');
  });
});

describe('a message', () => {
  it('of an $i18n: key is the text of the language, else of the next shorter one, else English', () => {
    expect(say('zh-CN', '$i18n:crm.own')).toBe('自己的');
    expect(say('zh-CN', '$i18n:crm.rule')).toBe('规则');
    expect(say('de', '$i18n:crm.rule')).toBe('A rule');
    expect(say('zh-CN', '$i18n:error.not_found')).toBe('未找到');
  });

  it('of an unknown key stays as it is', () => {
    for (const text of ['$i18n:crm.none', '$i18n:', '$i18n:toString', '$i18n:__proto__', '$i18n', 'crm.rule', '']) {
      expect(say('zh-CN', text)).toBe(text);
    }
    expect(say('zh-CN', '$i18n:crm.rule', 'staging')).toBe('$i18n:crm.rule');
  });

  it('of ours is known by its words, and keeps what stands in its places', () => {
    expect(say('zh-CN', 'is required')).toBe('必填');
    expect(say('zh-CN', 'must be a whole number from 1 to 500')).toBe('必须是 1 到 500 的整数');
    expect(say('zh-CN', 'must be one of {min}, $& and {values}')).toBe('必须是以下之一：{min}, $& and {values}');
    expect(say('en', 'must be a whole number from 1 to 500')).toBe('must be a whole number from 1 to 500');
    expect(say('zh-CN', 'said by nobody')).toBe('said by nobody');
  });

  it('of ours may hold another one, each in its words', () => {
    expect(
      say(
        'zh-CN',
        'The data source cannot be evaluated: its SQL uses a schema before a table, which a data source may not use',
      ),
    ).toBe('无法计算数据源：其 SQL 使用了表名前的 schema，数据源不允许使用');
    expect(say('zh-CN', 'dev is locked: is required')).toBe('dev 已锁定：is required');
    expect(say('zh-CN', 'is not valid SQL: syntax error at or near ","')).toBe(
      '不是有效的 SQL：syntax error at or near ","',
    );
  });

  it('of ours is known behind the place where it holds, and beside others', () => {
    expect(say('zh-CN', 'content.sql is required')).toBe('content.sql 必填');
    expect(
      say('zh-CN', 'The request is not valid; MODEL/lead content.fields.0.code is required; version is taken'),
    ).toBe('请求无效; MODEL/lead content.fields.0.code 必填; version 已被使用');
    expect(say('zh-CN', 'somebody’s own; words of it; is not ours')).toBe('somebody’s own; words of it; is not ours');
  });

  it('of ours can be put in the environment’s words', () => {
    expect(say('de', 'is required')).toBe('wird gebraucht');
    expect(say('de', 'is malformed')).toBe('is malformed');
  });

  it('is looked for in what is not longer than problems are, so that nothing costs much time', () => {
    const problems = (count: number) => Array.from({ length: count }, () => 'version is taken').join('; ');
    expect(say('zh-CN', problems(1_000))).toBe(problems(1_000).replaceAll('is taken', '已被使用'));
    expect(say('zh-CN', problems(2_000))).toBe(problems(2_000));
  });
});
