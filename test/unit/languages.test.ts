import { Languages, type Bundles } from '../../src/foundation/i18n/languages.ts';
import {
  fromColumn,
  toColumn,
  type Message,
  quoted,
  type StoredMessage,
  text,
  type Text,
} from '../../src/foundation/i18n/text.ts';
import { TEXTS } from '../support/texts.ts';

const OWN: Record<string, Bundles> = {
  dev: new Map([
    ['en', new Map([['crm.rule', 'A rule']])],
    ['zh', new Map([['crm.rule', '规则']])],
    ['zh-CN', new Map([['crm.own', '自己的']])],
    [
      'de',
      new Map([
        ['validation.required', 'wird gebraucht'],
        ['validation.integer_from_to', 'muss zwischen {min} und {max} liegen, nicht über {max}'],
      ]),
    ],
  ]),
};
const languages = new Languages(TEXTS, (environment) => OWN[environment ?? 'none'] ?? new Map());
const localeFor = (...accepted: string[]) => languages.languageFor(accepted, undefined).locale;
const say = (locale: string, message: StoredMessage | Text, environment = 'dev') =>
  languages.languageFor([locale], environment).translate(message);
const FROM_TO = text('must be a whole number from {min} to {max}', { min: 1, max: 500 });

describe('the shipped texts', () => {
  const texts = TEXTS.flatMap((table) => Object.entries(table));

  it('have a key of their own each, and words of their own', () => {
    expect(new Set(texts.map(([key]) => key)).size).toBe(texts.length);
    expect(new Set(texts.map(([, { en }]) => en)).size).toBe(texts.length);
  });

  it('have the same places in every language', () => {
    const places = (template: string) => [...template.matchAll(/\{\w+\}/g)].map(String).sort();
    for (const [key, { en, ...others }] of texts) {
      for (const other of Object.values(others)) expect([key, places(other)]).toEqual([key, places(en)]);
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

  it('of ours is known by its English words, and keeps its values', () => {
    expect(say('zh-CN', 'is required')).toBe('必填');
    expect(say('zh-CN', FROM_TO)).toBe('必须是 1 到 500 的整数');
    const quoting = text('must be one of {values}', { values: '{min}, $& and {values}' });
    expect(say('zh-CN', quoting)).toBe('必须是以下之一：{min}, $& and {values}');
    expect(say('en', FROM_TO)).toBe('must be a whole number from 1 to 500');
    expect(say('zh-CN', 'must be a whole number from 1 to 500')).toBe('must be a whole number from 1 to 500');
    expect(say('zh-CN', 'said by nobody')).toBe('said by nobody');
  });

  it('of ours may hold others, each in its words', () => {
    const problem = text('uses {problem}, which a data source may not use', { problem: 'a schema before a table' });
    const inside = text('its SQL {problem}', { problem });
    expect(say('zh-CN', text('The data source cannot be evaluated: {problem}', { problem: inside }))).toBe(
      '无法计算数据源：其 SQL 使用了表名前的 schema，数据源不允许使用',
    );
    const reason = text('{environment} is locked: {reason}', { environment: 'dev', reason: 'is required' });
    expect(say('zh-CN', reason)).toBe('dev 已锁定：is required');
    const quoting = text('is not valid SQL: {problem}', { problem: quoted('syntax error at or near ","') });
    expect(say('zh-CN', quoting)).toBe('不是有效的 SQL：syntax error at or near ","');
  });

  it('of ours is known behind the place where it holds, and beside others', () => {
    const at = (place: string, problem: Message) => text('{place} {problem}', { place, problem });
    const problems: Message[] = [
      'The request is not valid',
      at('MODEL/lead content.fields.0.code', 'is required'),
      at('page', FROM_TO),
    ];
    expect(say('zh-CN', text('{problems}', { problems }))).toBe(
      '请求无效; MODEL/lead content.fields.0.code 必填; page 必须是 1 到 500 的整数',
    );
    expect(String(text('{problems}', { problems }))).toBe(
      'The request is not valid; MODEL/lead content.fields.0.code is required; page must be a whole number from 1 to 500',
    );
  });

  it('of ours can be put in the environment’s words', () => {
    expect(say('de', 'is required')).toBe('wird gebraucht');
    expect(say('de', FROM_TO)).toBe('muss zwischen 1 und 500 liegen, nicht über 500');
    expect(say('de', 'is malformed')).toBe('is malformed');
  });

  it('of ours is the same after it was stored: as JSON, and as a column of type text', () => {
    const message = text('{place} {problem}', { place: 'page', problem: FROM_TO });
    const { translate } = languages.languageFor(['zh-CN'], undefined);
    expect(translate(JSON.parse(JSON.stringify(message.toStored())) as StoredMessage)).toBe(translate(message));
    expect(translate(fromColumn(toColumn(message)) as Text)).toBe(translate(message));
    for (const plain of [
      'is required',
      'a reason of {theirs}',
      '{"template":"is required","values":{}}',
      '{"template":',
    ]) {
      expect(String(fromColumn(toColumn(quoted(plain))))).toBe(plain);
    }
    expect(fromColumn(null)).toBeNull();
  });
});
