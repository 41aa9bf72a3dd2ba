/**
 * The import rules of ARCHITECTURE.md, checked by `npm test`.
 */

const DOORS = require('./scripts/testing/doors.cjs');

/** Which features a feature may import, beside the platform and the foundation. Extend it deliberately. */
const FEATURE_EDGES = {
  records: [],
  commands: ['records'],
  examples: ['commands'],
  lineage: ['commands', 'records'],
  imports: ['commands', 'records'],
  designer: ['commands'],
  environments: [],
  promotions: ['commands', 'environments'],
  webhooks: ['automations', 'commands', 'records'],
  datasources: ['environments', 'records'],
  dashboards: ['datasources', 'records'],
  assistant: ['commands', 'records'],
  messaging: ['assistant', 'webhooks'],
  automations: ['assistant', 'commands', 'environments', 'records'],
  administration: [],
  app: ['assistant', 'automations', 'commands', 'dashboards', 'datasources', 'records'],
  console: [],
  health: [],
  'api-docs': ['app', 'commands'],
};

/** Which parts of the platform a part of the platform may import, beside the foundation. */
const PLATFORM_EDGES = {
  audit: [],
  health: [],
  mail: [],
  metadata: [],
  auth: ['audit', 'mail', 'metadata'],
  events: ['auth', 'metadata'],
  files: ['auth', 'health', 'metadata'],
  records: ['auth', 'events', 'files', 'metadata'],
  streams: ['auth'],
};

const edgeRules = (floor, edges, below) =>
  Object.entries(edges).map(([room, allowed]) => ({
    name: `edges-of-${room}`,
    comment: `src/${floor}/${room} imports ${[...allowed, ...below].join(', ')}, and nothing else`,
    severity: 'error',
    from: { path: `^src/${floor}/${room}/` },
    to: {
      path: '^src/',
      pathNot: [`^src/${floor}/(${[room, ...allowed].join('|')})/`, ...below.map((one) => `^src/${one}/`)],
    },
  }));

/** Of floors in one folder, the upper ones import the lower ones. */
const floorRules = (folder, floors) =>
  floors.slice(1).map((floor, index) => ({
    name: `below-${floors[index]}`,
    comment: `Arrows go down: ${floors.join(' -> ')}.`,
    severity: 'error',
    from: { path: `^${folder}/${floor}/` },
    to: { path: `^${folder}/(?:${floors.slice(0, index + 1).join('|')})/` },
  }));

const doorRules = Object.entries(DOORS).map(([room, files]) => ({
  name: `door-of-${room}`,
  comment: `What others import of src/${room} is in scripts/testing/doors.cjs; the rest may change at any time.`,
  severity: 'error',
  from: { path: '^(src|activities)/', pathNot: `^src/${room}/` },
  to: { path: `^src/${room}/`, pathNot: ['\\.feature\\.ts$', `^src/${room}/(${files.join('|')})\\.ts$`] },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A cycle is two things that are one, or one thing in the wrong place.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-cycles-of-folders',
      comment: 'The same for folders: one is above the other. What two need stands beside them.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'workflows-are-pure',
      comment:
        "Temporal's sandbox replays workflows: they import its workflow packages and themselves, nothing with effects.",
      severity: 'error',
      from: { path: '^workflows/' },
      to: { pathNot: ['^workflows/', '^node_modules/@temporalio/(workflow|common)/'] },
    },
    {
      name: 'contracts-import-nothing',
      comment: 'Both worlds import the contracts; an import in there would drag one world into the other.',
      severity: 'error',
      from: { path: '^workflows/contracts\\.ts$' },
      to: { path: '.' },
    },
    {
      name: 'contracts-are-the-door',
      comment: 'Outside the sandbox nothing but the contracts may be imported from workflows/.',
      severity: 'error',
      from: { path: '^(src|activities)/' },
      to: { path: '^workflows/', pathNot: '^workflows/contracts\\.ts$' },
    },
    {
      name: 'foundation-knows-no-product',
      comment: 'Arrows go down: features -> platform -> foundation.',
      severity: 'error',
      from: { path: '^src/foundation/' },
      to: { path: '^src/', pathNot: ['^src/foundation/'] },
    },
    {
      name: 'express-stays-at-the-edge',
      comment: 'Services answer data, not responses, so that workers can call them.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/foundation/http/' },
      to: { path: '^node_modules/(@types/)?express/' },
    },
    {
      name: 'one-way-out',
      comment: 'What tenants have called goes through the one client that judges addresses.',
      severity: 'error',
      from: { path: '^(src|activities|workflows)/', pathNot: '^src/foundation/outbound/' },
      to: { path: '^node_modules/undici/' },
    },
    {
      name: 'one-door-to-models',
      comment: "The provider's key and URL are the operator's: one file knows how they are used.",
      severity: 'error',
      from: {
        path: '^(src|activities|workflows)/',
        pathNot: '^src/features/assistant/providers/openai-provider\\.ts$',
      },
      to: { path: '^node_modules/openai/' },
    },
    {
      name: 'one-worker',
      comment: 'The worker package starts native threads: only the entry of the program and its node may.',
      severity: 'error',
      from: {
        path: '^(src|activities)/',
        pathNot: ['^src/(main|node)\\.ts$', '^src/foundation/temporal/workflow-bundle\\.ts$'],
      },
      to: { path: '^node_modules/@temporalio/worker/' },
    },
    {
      name: 'application-composes',
      comment: 'The application, its node and the entry are above everything.',
      severity: 'error',
      from: { path: '^(src|activities)/', pathNot: '^src/(main|node)\\.ts$' },
      to: { path: '^src/(main|node|application)\\.ts$' },
    },
    {
      name: 'activities-know-no-feature',
      comment: 'An activity turns a step into a call of what the feature hands it.',
      severity: 'error',
      from: { path: '^activities/' },
      to: { path: '^src/', pathNot: '^src/foundation/errors/' },
    },
    {
      name: 'client-stands-alone',
      comment: 'What browsers load has no dependency, and nothing of the program.',
      severity: 'error',
      from: { path: '^sdk/' },
      to: { pathNot: '^sdk/' },
    },
    {
      name: 'program-without-client',
      comment: 'The client is of those who call the program: the command line, and applications.',
      severity: 'error',
      from: { path: '^(src|workflows|activities)/' },
      to: { path: '^(sdk|cli)/' },
    },
    {
      name: 'program-without-console',
      comment: 'The console is of those who call the program, too.',
      severity: 'error',
      from: { path: '^(src|workflows|activities|sdk|cli)/' },
      to: { path: '^web/' },
    },
    {
      name: 'console-knows-the-client-alone',
      comment: 'The console is a client: what it needs of the service, it asks for.',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^(src|workflows|activities|cli|scripts)/' },
    },
    ...floorRules('web/src', ['screens', 'parts', 'ui', 'app']),
    {
      name: 'console-parts-apart',
      comment: 'What others have made is wrapped where it is used first: screens are put together of our own.',
      severity: 'error',
      from: { path: '^web/src/screens/' },
      to: { path: '^node_modules/@base-ui/' },
    },
    {
      name: 'one-door-to-s3',
      comment: "The store's key and address are the operator's: one file knows how they are used.",
      severity: 'error',
      from: {
        path: '^(src|activities|workflows)/',
        pathNot: '^src/platform/files/stores/s3-client\\.ts$',
      },
      to: { path: '^node_modules/aws4fetch/' },
    },
    ...edgeRules('features', FEATURE_EDGES, ['platform', 'foundation']),
    ...edgeRules('platform', PLATFORM_EDGES, ['foundation']),
    ...doorRules,
    {
      name: 'endpoints-are-leaves',
      comment: 'Only the feature that has them hands endpoints on.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.feature\\.ts$' },
      to: { path: '\\.endpoints\\.ts$' },
    },
    { name: 'resolvable', comment: 'A typo.', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    exclude: { path: '/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
