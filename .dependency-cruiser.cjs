/**
 * The import rules of ARCHITECTURE.md, checked by `npm test`.
 */

/** Knows no feature; every feature may use it. */
const GROUND_FLOOR =
  '^src/(config|errors|logging|http|database|redis|temporal|expressions|i18n|metrics|outbound|secrets)/';

/** Which features a feature may import, beside the ground floor. The list is the architecture: extend it deliberately. */
const EDGES = {
  'api-docs': [],
  mail: [],
  auth: ['audit', 'mail', 'metadata'],
  metadata: [],
  records: ['auth', 'metadata'],
  streams: ['auth', 'metadata'],
  commands: ['auth', 'metadata', 'records', 'streams'],
  events: [],
  datasources: ['auth', 'metadata', 'records'],
  health: ['auth', 'events', 'metadata'],
  audit: ['auth', 'metadata'],
  administration: ['audit', 'auth', 'mail', 'metadata'],
  designer: ['audit', 'auth', 'commands', 'metadata'],
  environments: ['audit', 'auth', 'metadata'],
  promotions: ['audit', 'auth', 'environments', 'metadata', 'streams'],
  automations: ['assistant', 'auth', 'commands', 'events', 'metadata', 'records', 'streams'],
  assistant: ['auth', 'commands', 'metadata', 'records', 'streams'],
  im: ['assistant', 'audit', 'auth', 'events', 'metadata', 'streams', 'webhooks'],
  webhooks: ['audit', 'auth', 'events', 'metadata', 'records'],
};

const featureRules = Object.entries(EDGES).map(([feature, edges]) => ({
  name: `edges-of-${feature}`,
  comment: `src/${feature} imports the ground floor and: ${edges.join(', ') || 'nothing else'}`,
  severity: 'error',
  from: { path: `^src/${feature}/` },
  to: { path: '^src/', pathNot: [`^src/(${[feature, ...edges].join('|')})/`, GROUND_FLOOR] },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A cycle is two things that are one, or one thing in the wrong place.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
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
      name: 'activities-know-no-http',
      comment: 'A worker has no request.',
      severity: 'error',
      from: { path: '^activities/' },
      to: { path: ['^src/http/', '^node_modules/express/', '\\.routes\\.ts$'] },
    },
    {
      name: 'ground-floor-knows-no-feature',
      comment: 'What every feature stands on must not depend on one of them.',
      severity: 'error',
      from: { path: GROUND_FLOOR },
      to: { path: '^src/', pathNot: [GROUND_FLOOR] },
    },
    {
      name: 'express-stays-at-the-edge',
      comment: 'Services answer data, not responses, so that workers can call them.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/http/', '\\.routes\\.ts$', '^src/container(-parts)?\\.ts$'] },
      to: { path: '^node_modules/(@types/)?express/' },
    },
    {
      name: 'one-way-out',
      comment: 'What tenants have called goes through the one client that judges addresses.',
      severity: 'error',
      from: { path: '^(src|activities|workflows)/', pathNot: '^src/outbound/' },
      to: { path: '^node_modules/undici/' },
    },
    {
      name: 'one-door-to-models',
      comment: "The provider's key and URL are the operator's: one file knows how they are used.",
      severity: 'error',
      from: { path: '^(src|activities|workflows)/', pathNot: '^src/assistant/openai-provider\\.ts$' },
      to: { path: '^node_modules/openai/' },
    },
    {
      name: 'one-worker',
      comment: 'The worker package starts native threads: only the entry of the program may.',
      severity: 'error',
      from: { path: '^(src|activities)/', pathNot: '^src/(main|workflow-bundle)\\.ts$' },
      to: { path: '^node_modules/@temporalio/worker/' },
    },
    {
      name: 'container-constructs',
      comment: 'The container and the entry are above everything.',
      severity: 'error',
      from: { path: '^(src|activities)/', pathNot: '^src/(main|container)\\.ts$' },
      to: { path: '^src/(main|container)\\.ts$' },
    },
    ...featureRules,
    {
      name: 'routes-are-leaves',
      comment: 'Nobody but the container mounts routes.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/container\\.ts$' },
      to: { path: '\\.routes\\.ts$' },
    },
    { name: 'resolvable', comment: 'A typo.', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
