/** @typedef {import('../command-line.mjs').Command} Command */

/** Options of commands that work with an application's files. */
export const FILES_OPTIONS = /** @type {const} */ ({
  dir: { type: 'string', about: 'the application (the nearest folder with a keelson.yaml)' },
  env: { type: 'string', about: 'the environment (keelson.yaml, dev)' },
});

/** Options of commands that write to an environment. */
const APPLY_OPTIONS = /** @type {const} */ ({
  prune: { type: 'boolean', about: 'remove the resources that the files lack' },
  'allow-destructive': {
    type: 'string',
    multiple: true,
    about: 'consent to changes that hide data: TYPE/code, ...',
  },
});

/** @type {Command} */
export const init = {
  arguments: ['<directory>'],
  about: 'make an application that works: configuration as files',
  isOffline: true,
  example: 'keelson init my-app',
  run: async (invocation) => (await import('../app/init.ts')).init(invocation),
};

/** @type {Command} */
export const pull = {
  arguments: ['[TYPE/code...]'],
  about: 'write what an environment has into the files; what is the same stays byte for byte',
  example: 'keelson pull MODEL/ticket',
  options: {
    ...FILES_OPTIONS,
    prune: { type: 'boolean', about: 'delete the files of resources that the environment lacks' },
    force: { type: 'boolean', about: 'overwrite edits that are not committed' },
    'dry-run': { type: 'boolean', about: 'only list what would be written' },
  },
  run: async (invocation) => (await import('../app/pull.ts')).pull(invocation),
};

/** @type {Command} */
export const lint = {
  arguments: [],
  about: 'check the files without a service: schemas, references, expressions, SQL, texts',
  isOffline: true,
  example: 'keelson lint --format github',
  options: {
    dir: FILES_OPTIONS.dir,
    format: { type: 'string', about: 'text, or github for annotations of a workflow (text)' },
    strict: { type: 'boolean', about: 'exit with 1 for warnings, too' },
  },
  run: async (invocation) => (await import('../app/lint.ts')).lint(invocation),
};

/** @type {Command} */
export const watch = {
  arguments: [],
  about: 'apply the files to an open environment at each save, until Ctrl-C',
  example: 'keelson watch',
  options: { ...FILES_OPTIONS, 'allow-destructive': APPLY_OPTIONS['allow-destructive'] },
  run: async (invocation) => (await import('../app/watch.ts')).watch(invocation),
};

/** @type {Command} */
export const apply = {
  arguments: [],
  about: 'make an environment what the files say, in one transaction: plans, shows, asks',
  example: 'keelson apply --env dev --yes',
  options: {
    ...FILES_OPTIONS,
    ...APPLY_OPTIONS,
    ours: {
      type: 'string',
      multiple: true,
      about: 'keep the files where another changed the resource, too: TYPE/code, ...',
    },
    theirs: {
      type: 'string',
      multiple: true,
      about: 'take what another made of the resource into the file: TYPE/code, ...',
    },
    'dry-run': { type: 'boolean', about: 'only show the plan' },
    yes: { type: 'boolean', about: 'do not ask; never covers what hides data' },
    reason: { type: 'string', about: 'reason for the audit trail' },
  },
  run: async (invocation) => (await import('../app/apply.ts')).apply(invocation),
};

/** @type {Command} */
export const test = {
  arguments: ['[command...]'],
  about: 'try the examples of the commands in the files, among what an environment has; changes nothing',
  example: 'keelson test --env dev',
  options: FILES_OPTIONS,
  run: async (invocation) => (await import('../app/test.ts')).test(invocation),
};

/** @type {Command} */
export const drift = {
  arguments: [],
  about: 'show what was changed since the files were last applied, and by whom',
  example: 'keelson drift --env prod',
  options: FILES_OPTIONS,
  run: async (invocation) => (await import('../app/drift.ts')).drift(invocation),
};

/** @type {Command} */
export const rollback = {
  arguments: ['<TYPE/code[@version]>'],
  about: 'take a resource back to an earlier version within its environment: plans, shows, asks',
  example: 'keelson rollback PAGE_SCHEMA/leads@3',
  options: {
    ...FILES_OPTIONS,
    'allow-destructive': APPLY_OPTIONS['allow-destructive'],
    'dry-run': { type: 'boolean', about: 'only show the plan' },
    yes: { type: 'boolean', about: 'do not ask; never covers what hides data' },
    reason: { type: 'string', about: 'reason for the audit trail; required where only promotions change it' },
  },
  run: async (invocation) => (await import('../app/rollback.ts')).rollback(invocation),
};

/** @type {Command} */
export const reset = {
  arguments: [],
  about: 'empty the records of dev, of all tenants, and write those of data/ in their place: shows, asks',
  example: 'keelson reset --yes',
  options: {
    ...FILES_OPTIONS,
    empty: { type: 'boolean', about: 'write no records' },
    'dry-run': { type: 'boolean', about: 'only show what would go' },
    yes: { type: 'boolean', about: 'do not ask' },
    reason: { type: 'string', about: 'reason for the audit trail' },
  },
  run: async (invocation) => (await import('../app/reset.ts')).reset(invocation),
};

/** @type {Command} */
export const types = {
  arguments: [],
  about: 'print TypeScript types: of models, pages, commands and events, or of the fixed routes',
  example: 'keelson types --dir my-app -o src/keelson-app.d.ts --check',
  options: {
    dir: { type: 'string', about: 'an application: its files are read, without a service' },
    env: { type: 'string', about: 'the environment to read (keelson.yaml, dev)' },
    api: { type: 'boolean', about: 'the types of the fixed routes instead, from the OpenAPI document' },
    out: { type: 'string', short: 'o', about: 'the file to write (standard output)' },
    check: { type: 'boolean', about: 'write nothing; exit with 1 when the file is stale' },
  },
  run: async (invocation) => (await import('../app/types.ts')).types(invocation),
};
