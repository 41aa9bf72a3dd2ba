import { conflict, type ApplicationError, forbidden } from '../../foundation/errors/application-error.ts';
import { text, type Message } from '../../foundation/i18n/text.ts';
import { MAX_RESPONSE_BYTES } from './datasources.limits.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { Field, Model } from '../../platform/metadata/models/model.ts';

/**
 * A data source that cannot be evaluated: its SQL divides by zero on the tenant's records, runs too long, or
 * names a field that its model has lost. CONFLICT, because the stored definition and the present state do not
 * fit: the request is right (so no 400), nothing is down and a repeat does not help (so no 503), and those
 * who can help are the people who edit data and configuration, whom a bare 500 would tell nothing.
 */
export function brokenDataSource(problem: Message, details: { sqlState?: string } = {}): ApplicationError {
  return conflict('DATASOURCE', text('The data source cannot be evaluated: {problem}', { problem }), details);
}

/**
 * SQLSTATE, or its class, -> what the author's SQL did. The driver's own text is left out: it quotes values.
 */
const PROBLEMS: Readonly<Record<string, Message>> = {
  KE001: text('its answer is longer than {max} bytes', { max: MAX_RESPONSE_BYTES }),
  '57014': 'it runs too long',
  '22012': 'it divides by zero',
  '21000': 'a subquery that stands for one value finds several rows',
  '21': 'its parts do not have the same shape',
  '22': 'it meets a value that it cannot compute with',
  '54': 'it is too complex',
  '42': 'it does not fit the fields that its models have now',
};

/**
 * Postgres refused a right: the author's SQL got past the guard, or the program is set up wrongly. Not for
 * callers.
 */
const OUR_FAULTS = new Set(['42501']);

/** What the author's SQL has caused, as an answer for the caller; any other failure as it is. */
export function explainFailure(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  if (!(error instanceof Error) || typeof code !== 'string' || OUR_FAULTS.has(code)) return error;
  const problem = PROBLEMS[code] ?? PROBLEMS[code.slice(0, 2)];
  return problem === undefined ? error : brokenDataSource(problem, { sqlState: code });
}

/** @throws CONFLICT (DATASOURCE) where the model is gone */
export function modelOf(actor: Actor, code: string): Model {
  const model = actor.metadata.models.get(code);
  if (!model) throw brokenDataSource(text('there is no model {code}', { code }));
  return model;
}

/** @throws FORBIDDEN with `data.permission`; CONFLICT (DATASOURCE) where the field is gone */
export function readableField(model: Model, code: string, { permissions }: Actor): Field {
  const field = model.fields.get(code);
  if (!field) throw brokenDataSource(text('{model} has no field {field}', { model: model.code, field: code }));
  if (field.readPermission !== null && !permissions.has(field.readPermission)) throw forbidden(field.readPermission);
  return field;
}
