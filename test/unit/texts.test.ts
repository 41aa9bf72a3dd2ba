import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEXTS } from '../support/texts.ts';
import { proseOf, type Prose } from '../support/prose.ts';

/** Files whose prose is for somebody else than who reads an answer's message, and why. */
const OTHER_READERS: readonly (readonly [file: RegExp, why: string])[] = [
  [/\.texts\.ts$|^src\/foundation\/errors\/catalogue\.ts$/, 'the texts themselves'],
  [/^src\/foundation\/config\//, 'operators read it when the program starts'],
  [/^src\/foundation\/logging\//, 'the log is English'],
  [/^src\/platform\/auth\/passwords\/reset-page\.ts$/, 'markup, style and script; its words are translated'],
  [/^src\/platform\/metadata\/resources\/(key-descriptions|file-schema)\.ts$/, 'schemas for editors are English'],
  [/^src\/features\/records\/export\/xlsx\.ts$/, 'markup of workbooks'],
  [/^src\/features\/api-docs\//, 'the API’s document is English'],
  [
    /^src\/foundation\/expressions\/(automation-cel|cel|evaluation\/environment|values\/decimal-operators)\.ts$/,
    'signatures of CEL',
  ],
  [/^src\/features\/assistant\/providers\/builtin\//, 'the built-in assistant answers in the language of the question'],
  [
    /^src\/features\/assistant\/(replies\/system-prompt|tools\/tool-definitions)\.ts$/,
    'models are talked to in English',
  ],
  [
    /^src\/features\/webhooks\/subscriptions\/event-types\.ts$/,
    'the catalogue of event types is English, as the API’s document is',
  ],
];

/** Single texts that no reader of an answer's message sees, or that are parts of one that is known whole. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'a passing fault': 'between an activity and its workflow',
  'Your last message was cut off by a fault. Continue it exactly where it ends. Repeat nothing and do not mention the fault.':
    'for the model',
  'the stream ended before its answer did': 'log',
  'nothing came for ‹› ms': 'log',
  'the database is not migrated: run `npm run migrate`': 'operators read it when the program starts',
  'the task queue ‹› belongs to the installation ‹›: set TEMPORAL_TASK_QUEUE to another name, ':
    'operators read it when the program starts',
  'or leave it unset': 'operators read it when the program starts',
  'no answer within ‹› ms': 'log',
  'no address': 'log',
  'The AI provider': 'whole: The AI provider is unavailable',
  ' on ‹›': 'part of a summary that a command’s name makes',
  'groupBy, measures': 'keys of a request',
  'it is stopping': 'not in the message',
  ' union all ': 'SQL',
  'Never runs. Without it, workers start again what this installation has under way.':
    'operators read it in the Web UI',
  'an item of a batch failed': 'around its failure, which is told',
  'the rollback failed': 'a bug',
  'Command timed out': 'Redis says it',
  'Temporal is unavailable': 'a reason in the audit trail, which is kept as it is written',
  'Unfinished deliveries: queued for a slot, holding one, or waiting for a retry': 'a metric',
  'cached plan must not change result type': 'Postgres says it',
  'its form is unknown': 'a cause, for the log',
  'it was sealed under another SECRETS_KEY': 'a cause, for the log',
  'it was changed, or belongs to something else': 'a cause, for the log',
  'pid ‹›': 'a key, not a text',
  'attachment; filename="‹›.‹›"': 'a header',
  'cursor ‹›': 'a context of the secret box',
  'ExecutionStatus in (‹›)': 'a question to Temporal',
  'code ‹›/‹›': 'a key, not a text',
  'MODEL/‹› content.fields‹›': 'a path',
  'MODEL/‹› code': 'a path',
  '‹›/‹› content.renamedFrom': 'a path',
  '(e.target_record_id = ‹› or ‹›)': 'SQL',
  'case when ‹› = any(r."0") then ‹› else t.‹› end': 'SQL',
  'private, no-cache': 'a header',
  "default-src 'none'; sandbox; frame-ancestors 'none'": 'a header',
  'bytes ‹›-‹›/‹›': 'a header',
  'files of ‹›:‹›': 'the name of a lock',
  '‹› bytes of ‹›': 'a cause, for the log',
  'no UploadId': 'a cause, for the log',
  'no ETag': 'a cause, for the log',
  'snapshot of ‹›': 'a name',
  'metadata of ‹›': 'a name',
  'IM channel ‹›': 'a name',
  'Sample ‹›': 'sample data',
  'webhooks of ‹›:‹›': 'the name of a lock',
  'apply scheduled': 'an action of the timeline: a value of the API',
  'apply failed': 'an action of the timeline: a value of the API',
  'soak passed': 'an action of the timeline: a value of the API',
  'soak failed': 'an action of the timeline: a value of the API',
  'soak rollback failed': 'an action of the timeline: a value of the API',
  'rollback created': 'an action of the timeline: a value of the API',
  'rolled back': 'an action of the timeline: a value of the API',
  'the service': 'a key of the specification',
  'query parser': 'a setting of Express',
  'trust proxy': 'a setting of Express',
  'QUERY PLAN': 'Postgres says it',
  'Plan Rows': 'Postgres says it',
  'Indexes and constraints of large tables that are not built yet': 'a metric',
  'repeatable read': 'SQL',
  'access exclusive': 'SQL',
  'share row exclusive': 'SQL',
  'timestamp(3) with time zone': 'SQL',
  'character varying(32)': 'SQL',
  'application/json; charset=utf-8': 'a header',
  'text/event-stream; charset=utf-8': 'a header',
  'no-cache, no-transform': 'a header',
  'Content-Type: application/json; charset=utf-8': 'a header',
  'Connection: close': 'a header',
};

/** Parts of statements, and lists of names. */
const NO_PROSE = [
  /^\(?(t|d|a)\./,
  /^run_pid \|\|/,
  /^\(\(?‹›/,
  /^\(tenant_id/,
  /^‹› between/,
  /\bilike\b/,
  /\breturning\b/,
  /^(version|deleted_at) = /,
  /^status in \(/,
  /^‹› using /,
  /^set local /,
  /\bsavepoint \w+$/,
  /^(pid|created_at) \w+$/,
  /^-c role=/,
  /^null::/,
  /^event: \w+\n/,
  /^[\w.]+(,\s+[\w.]+){3,}$/,
  /^‹› returning /,
  /^ (left join|group by|order by|where|nulls first)( ‹›)?/,
  /^‹› (asc|desc)(‹›)?$/,
  /^‹› as "o‹›"$/,
  /^from ‹› t where /,
  /^‹› (t(‹›)?|and ‹›|limit ‹›(‹›)?|as "‹›")$/,
];
/** A list of the parser's words. */
const isWordList = ({ file, text }: Prose): boolean =>
  file === 'src/features/datasources/sql/sql-grammar.ts' &&
  (/^\s*[a-z]\w*(\s+[a-z]\w*)*\s*$/i.test(text) || /^[A-Z .]+$/.test(text));

const ENGLISH: ReadonlySet<string> = new Set(TEXTS.flatMap((table) => Object.values(table)).map(({ en }) => en));

describe('every text that an answer can have', () => {
  const texts = proseOf(['src/**/*.ts', 'activities/*.ts', 'workflows/*.ts']).filter(
    (prose) =>
      !OTHER_READERS.some(([file]) => file.test(prose.file)) &&
      !NO_PROSE.some((pattern) => pattern.test(prose.text)) &&
      !isWordList(prose),
  );

  it('is known in all languages, or an exception with a reason', () => {
    const unknown = texts.filter(({ text }) => !Object.hasOwn(EXCEPTIONS, text) && !ENGLISH.has(text));
    expect(unknown.map(({ place, text }) => `${place}: ${text}`)).toEqual([]);
  });

  it('is found at all: the scan sees what it has to see', () => {
    const seen = new Set(texts.map(({ text }) => text));
    expect(seen).toContain('There is no such record');
    expect(seen).toContain('must be one of {values}');
    expect(seen).toContain('is not valid SQL: {problem}');
    expect(seen.size).toBeGreaterThan(300);
  });

  it('has no exception that nobody needs', () => {
    const said = new Set(texts.map(({ text }) => text));
    expect(Object.keys(EXCEPTIONS).filter((text) => !said.has(text))).toEqual([]);
    const files = new Set(proseOf(['src/**/*.ts']).map(({ file }) => file));
    expect(OTHER_READERS.filter(([pattern]) => ![...files].some((file) => pattern.test(file)))).toEqual([]);
  });

  it('is one that the program has', () => {
    const root = join(import.meta.dirname, '../..');
    const sources = globSync('{src,activities,workflows}/**/*.ts', { cwd: root })
      .filter((file) => !file.endsWith('.texts.ts'))
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n');
    expect([...ENGLISH].filter((text) => !sources.includes(text))).toEqual([]);
  });
});
