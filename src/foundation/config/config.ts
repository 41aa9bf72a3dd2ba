import { isIP } from 'node:net';
import { newAjv, type ValidateFunction } from '../validation/json-schema.ts';
import { allVariables, isVariable, VARIABLES, type Settings } from './variables.ts';

/** An endpoint that speaks OpenAI's chat completions. */
export interface AiConfig {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly timeoutMs: number;
}

/** A bucket of an S3-compatible store. */
export interface S3Config {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

type Secrets = readonly [string, ...string[]];

/** The program's settings, read once at start. */
export interface Config extends Omit<Settings, 'jwtSecrets' | 'secretsKeys' | 'aiEndpoint' | 'firstAdmin' | 'files'> {
  /** The first one signs, all verify. */
  readonly jwtSecrets: Secrets;
  /** The first one seals, all open. */
  readonly secretsKeys: Secrets;
  /** The provider of assistants; null: the built-in one. */
  readonly ai: AiConfig | null;
  /** `s3` null: files are kept in Postgres. */
  readonly files: { readonly maxBytesOfTenant: number; readonly s3: S3Config | null };
  readonly bootstrapAdmin: { readonly email: string; readonly password: string } | null;
}

export type WebhookConfig = Config['webhooks'];
export type StreamConfig = Config['streams'];
export type LogLevel = Config['logLevel'];

/** All problems of a configuration at once, one per line, each named after its variable. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const MIN_SECRET_LENGTH = 32;

/** Production refuses to start with these. */
const DEVELOPMENT_SECRETS = {
  jwtSecrets: 'keelson-development-only-jwt-secret',
  secretsKeys: 'keelson-development-only-secrets-key',
} as const;

/**
 * Reads and validates the environment.
 * @throws ConfigError naming every variable that is wrong or missing
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const values = valuesIn(environment);
  const problems = problemsOfValues(values);
  const settings = settingsOf(VARIABLES, values) as Settings;
  problems.push(...problemsOfSettings(settings));
  if (problems.length > 0) throw new ConfigError(problems);

  const { aiEndpoint, firstAdmin, files, ...rest } = settings;
  const { baseUrl, model, apiKey, timeoutMs } = aiEndpoint;
  const { email, password } = firstAdmin;
  return {
    ...rest,
    jwtSecrets: secretsOr(DEVELOPMENT_SECRETS.jwtSecrets, settings.jwtSecrets),
    secretsKeys: secretsOr(DEVELOPMENT_SECRETS.secretsKeys, settings.secretsKeys),
    // Endpoints on one's own machine often want no key; the protocol wants something in its place.
    ai: baseUrl && model ? { baseUrl, apiKey: apiKey ?? 'none', model, timeoutMs } : null,
    files: { ...files, s3: s3ConfigOf(files.s3) },
    bootstrapAdmin: email && password ? { email, password } : null,
  };
}

type Values = Record<string, unknown>;

/** An empty variable counts as unset: compose files and shells pass those on for what was not filled in. */
function valuesIn(environment: NodeJS.ProcessEnv): Values {
  const names = allVariables().map(({ name }) => name);
  return Object.fromEntries(names.filter((name) => environment[name]).map((name) => [name, environment[name]]));
}

let check: ValidateFunction | undefined;

function compileCheck(): ValidateFunction {
  const properties = Object.fromEntries(allVariables().map(({ name, schema }) => [name, schema]));
  return newAjv({ coerceTypes: true, useDefaults: true }).compile({ type: 'object', properties });
}

/** Coerces the values to their types and fills in the defaults. @returns what is wrong with them */
function problemsOfValues(values: Values): string[] {
  check ??= compileCheck();
  check(values);
  return (check.errors ?? []).map(({ instancePath, message, params }) => {
    const allowed = 'allowedValues' in params ? `: ${(params.allowedValues as string[]).join(', ')}` : '';
    return `${instancePath.slice(1)} ${message}${allowed}`;
  });
}

function settingsOf(group: object, values: Values): object {
  return Object.fromEntries(
    Object.entries(group).map(([key, one]: [string, object]) => [
      key,
      isVariable(one) ? one.parse(values[one.name] as never) : settingsOf(one, values),
    ]),
  );
}

function s3ConfigOf({
  endpoint,
  bucket,
  region,
  accessKeyId,
  secretAccessKey,
}: Settings['files']['s3']): S3Config | null {
  if (!endpoint || !bucket || !accessKeyId || !secretAccessKey) return null;
  return { endpoint, bucket, region, accessKeyId, secretAccessKey };
}

function problemsOfS3({ endpoint, bucket, accessKeyId, secretAccessKey }: Settings['files']['s3']): string[] {
  const given = [endpoint, bucket, accessKeyId, secretAccessKey].filter((one) => one !== null).length;
  if (given > 0 && given < 4) {
    return [
      'FILES_S3_ENDPOINT, FILES_S3_BUCKET, FILES_S3_ACCESS_KEY_ID and FILES_S3_SECRET_ACCESS_KEY go together: set all or none',
    ];
  }
  return endpoint !== null && !URL.canParse(endpoint) ? ['FILES_S3_ENDPOINT must be a URL'] : [];
}

/** What a schema cannot say. */
function problemsOfSettings(settings: Settings): string[] {
  const { managementPort, port, aiEndpoint, firstAdmin, webhookDnsServers } = settings;
  const problems = [
    ...problemsOfRanges(VARIABLES.trustProxy.name, settings.trustProxy),
    ...problemsOfRanges(VARIABLES.webhookAllowCidrs.name, settings.webhookAllowCidrs),
  ];
  const noServer = webhookDnsServers?.find((server) => !isServerAddress(server));
  if (noServer !== undefined) problems.push(`WEBHOOK_DNS_SERVERS must be a comma list of addresses: ${noServer}`);
  problems.push(...problemsOfSecrets(settings), ...problemsOfS3(settings.files.s3));
  if (!firstAdmin.email !== !firstAdmin.password) {
    problems.push('BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD go together: set both or neither');
  }
  if (managementPort && managementPort === port) {
    problems.push('MANAGEMENT_PORT is the same as PORT: leave it empty to share that one');
  }
  if (aiEndpoint.baseUrl && !aiEndpoint.model) problems.push('AI_MODEL is required with AI_BASE_URL');
  if (aiEndpoint.baseUrl && !URL.canParse(aiEndpoint.baseUrl)) problems.push('AI_BASE_URL must be a URL');
  return problems;
}

function secretsOr(development: string, own: readonly string[] | null): Secrets {
  const [first = development, ...others] = own ?? [];
  return [first, ...others];
}

function problemsOfSecrets(settings: Settings): string[] {
  return (['jwtSecrets', 'secretsKeys'] as const).flatMap((key) => {
    const { name } = VARIABLES[key];
    const secrets = settings[key];
    if (!secrets) return settings.production ? [`${name} is required in production`] : [];
    if (secrets.length === 0 || secrets.some((one) => one.length < MIN_SECRET_LENGTH)) {
      return [`${name} must be a comma list of secrets of at least ${MIN_SECRET_LENGTH} characters each`];
    }
    return settings.production && secrets.includes(DEVELOPMENT_SECRETS[key])
      ? [`${name} has the one of development, which everybody knows`]
      : [];
  });
}

function problemsOfRanges(name: string, ranges: readonly string[]): string[] {
  const wrong = ranges.find((range) => !isAddressRange(range));
  return wrong === undefined ? [] : [`${name} must be a comma list of addresses and CIDR ranges: ${wrong}`];
}

/** Whether a text is an IP address, or one with the length of a prefix. */
function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (bits < 0 || rest.length > 0 || address.includes('%')) return false; // a zone names an interface
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
}

/** Whether a text is an IP address, or one with a port: `192.0.2.1:53`, `[2001:db8::1]:53`. */
function isServerAddress(text: string): boolean {
  const [, bracketed, plain] = /^(?:\[(.+)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? [];
  return isIP(bracketed ?? plain ?? text) !== 0;
}
