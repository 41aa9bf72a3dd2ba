import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { ERROR_CATALOGUE } from '../../../foundation/errors/catalogue.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { checkFieldValue } from '../../../platform/metadata/field-types/field-value.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import { declaredFields, writableFields, type Model } from '../../../platform/metadata/models/model.ts';
import { PERMISSION } from '../../../platform/metadata/permissions/permission-type.ts';
import { BUILT_IN_ROLES } from '../../../platform/metadata/permissions/permissions.ts';
import type { Configuration } from '../../../platform/metadata/resources/resource-type.ts';
import { kindOf } from '../steps/step-kinds.ts';
import type { CommandContent, Operation } from './command-content.ts';
import type { ExampleContent } from './example-content.ts';
import { namedInRefusals, payloadFields } from './payload-fields.ts';
import { operationMeant, problemsOfRequest } from './request-problems.ts';

const KEYS_OF_CHANGES = ['modelCode', 'action', 'before', 'after'];
/** What commands do to records. */
const WRITES = ['CREATE', 'UPDATE', 'DELETE'];

type Report = (path: string, problem: Message) => void;

/** Problems of examples among the other resources: what they name, and what cannot be. Path -> problem. */
export function problemsAmongExamples(command: CommandContent, after: Configuration): FieldErrors {
  const problems: FieldErrors = {};
  for (const [index, example] of (command.examples ?? []).entries()) {
    const report: Report = (path, problem) => (problems[`content.examples.${index}.${path}`] = problem);
    reportRole(example, after, report);
    reportGiven(example, after, report);
    reportExpected(example, command, after, report);
    reportMatch(example, command, report);
    reportRefusedField(example, command, after, report);
    // An example of a refusal may send what is wrong.
    if (!example.expect.error) reportRequest(example, command, after, report);
  }
  return problems;
}

function reportRole({ as }: ExampleContent, after: Configuration, report: Report): void {
  if (as === undefined || BUILT_IN_ROLES.has(as) || after.has(PERMISSION.name, as)) return;
  const roles = [...BUILT_IN_ROLES, ...after.all(PERMISSION).keys()];
  report('as', withSuggestion(text('There is no role {as}', { as }), as, roles));
}

function reportGiven({ given = [] }: ExampleContent, after: Configuration, report: Report): void {
  for (const [place, { modelCode, values }] of given.entries()) {
    const model = after.find(MODEL, modelCode);
    if (!model) {
      const problem = text('{code} is not a model', { code: modelCode });
      report(`given.${place}.modelCode`, withSuggestion(problem, modelCode, after.all(MODEL).keys()));
      continue;
    }
    const fields = writableFields(model);
    reportUnknown(values, codesOf(fields), `given.${place}.values`, notOf(modelCode), report);
    reportValues(values, fields, `given.${place}.values`, report);
    const missing = fields.filter((field) => field.required && field.default === undefined && !(field.code in values));
    for (const { code } of missing) report(`given.${place}.values.${code}`, 'is required');
  }
}

function reportRequest(
  { payload = {}, operationType, targetRecordId }: ExampleContent,
  command: CommandContent,
  after: Configuration,
  report: Report,
): void {
  const model = after.find(MODEL, command.modelCode);
  if (!model) return;
  const meant = operationType as Operation | undefined;
  const shape = { operationType: meant, hasTarget: targetRecordId !== undefined, keys: Object.keys(payload) };
  for (const [path, problem] of problemsOfRequest(command, model, shape)) {
    report(path === 'target' ? 'targetRecordId' : path, problem);
  }
  reportValues(payload, payloadFields(command, operationMeant(command, meant), model), 'payload', report);
}

/** The fields by which an example has its record found. */
function reportMatch({ matchOn = [] }: ExampleContent, command: CommandContent, report: Report): void {
  const allowed = command.matchOn ?? [];
  const problem = text('must be one of {values}', { values: allowed.join(', ') });
  for (const [place, code] of matchOn.entries()) {
    if (allowed.length === 0) report('matchOn', 'is not for this operation');
    else if (!allowed.includes(code)) report(`matchOn.${place}`, withSuggestion(problem, code, allowed));
  }
}

/** Where else than at fields an expression or a step is refused. */
const REFUSED_PARTS = ['operationType', 'rules', 'steps', 'result'];

/** The field at which an example expects a refusal: `items[2].quantity` for one of a list. */
function reportRefusedField(
  { expect: { error } }: ExampleContent,
  command: CommandContent,
  after: Configuration,
  report: Report,
): void {
  const model = after.find(MODEL, command.modelCode);
  if (!model || error?.field === undefined) return;
  const { steps = [], payload = [] } = command;
  const written = steps.flatMap((step) => after.find(MODEL, kindOf(step).modelWritten?.(step) ?? '') ?? []);
  const known = [
    ...namedInRefusals(command, model),
    ...written.flatMap(({ fields }) => [...fields.keys()]),
    ...steps.map(({ id }) => id),
    ...REFUSED_PARTS,
  ];
  const [first = '', inner] = error.field.split(/\[\d+\]\.|\./);
  const step = steps.find(({ id }) => id === first);
  const within =
    payload.find(({ code }) => code === first)?.fields?.map(({ code }) => code) ??
    (step && after.find(MODEL, kindOf(step).modelWritten?.(step) ?? '')?.fields.keys());
  const unknown = known.includes(first) ? inner : first;
  const candidates = [...(known.includes(first) ? (within ?? []) : known)];
  if (unknown === undefined || candidates.length === 0 || candidates.includes(unknown)) return;
  report('expect.error.field', withSuggestion('is not a field of this command', unknown, candidates));
}

function reportExpected(
  { expect }: ExampleContent,
  command: CommandContent,
  after: Configuration,
  report: Report,
): void {
  const { result, changes = [], error } = expect;
  const known = keysOfResult(command, after);
  if (known && typeof result === 'object' && result !== null && !Array.isArray(result)) {
    reportUnknown(result, known, 'expect.result', 'is not in the result', report);
    const model = command.result || command.steps ? undefined : after.find(MODEL, command.modelCode);
    if (model) reportValues(result, declaredFields(model), 'expect.result', report);
    reportRecords(result as Readonly<Record<string, unknown>>, command, after, report);
  }
  for (const [place, change] of changes.entries()) reportChange(change, `expect.changes.${place}`, after, report);
  const codes = Object.keys(ERROR_CATALOGUE);
  if (error && !codes.includes(error.code)) {
    report('expect.error.code', withSuggestion('is not the code of an error', error.code, codes));
  }
}

/** Records in a result, which steps have written. */
function reportRecords(
  expected: Readonly<Record<string, unknown>>,
  { steps = [], result }: CommandContent,
  after: Configuration,
  report: Report,
): void {
  for (const [key, record] of Object.entries(expected)) {
    const id = result ? /^steps\.(\w+)$/.exec(result[key] ?? '')?.[1] : key;
    const step = steps.find((each) => each.id === id);
    const isRecord = step && 'operation' in step && step.operation !== 'DELETE';
    const model = isRecord ? after.find(MODEL, String(step.modelCode)) : undefined;
    if (!model) continue;
    const path = `expect.result.${key}`;
    // A step that creates a record for each item has a list of them.
    if (Array.isArray(record)) record.forEach((one, place) => reportRecord(one, model, `${path}.${place}`, report));
    else reportRecord(record, model, path, report);
  }
}

function reportRecord(record: unknown, model: Model, path: string, report: Report): void {
  if (typeof record !== 'object' || record === null) return;
  reportUnknown(record, [...model.fields.keys()], path, notOf(model.code), report);
  reportValues(record, declaredFields(model), path, report);
}

/** A record that is written, and what it is before and after. */
function reportChange(change: Readonly<Record<string, unknown>>, path: string, after: Configuration, report: Report) {
  reportUnknown(change, KEYS_OF_CHANGES, path, 'is not a known key', report);
  const { modelCode, action } = change;
  if (typeof action === 'string' && !WRITES.includes(action)) {
    const problem = text('must be one of {values}', { values: WRITES.join(', ') });
    report(`${path}.action`, withSuggestion(problem, action, WRITES));
  }
  if (typeof modelCode !== 'string') return;
  const model = after.find(MODEL, modelCode);
  if (!model) {
    const problem = text('{code} is not a model', { code: modelCode });
    return report(`${path}.modelCode`, withSuggestion(problem, modelCode, after.all(MODEL).keys()));
  }
  for (const key of ['before', 'after'] as const) {
    reportRecord(change[key], model, `${path}.${key}`, report);
  }
}

function notOf(model: string): Message {
  return text('is not a field of {model}', { model });
}

/** The keys that the result may have; null where it is not known. */
function keysOfResult(
  { modelCode, steps, result, relations = [] }: CommandContent,
  after: Configuration,
): string[] | null {
  if (result) return Object.keys(result);
  if (steps) return steps.filter((step) => kindOf(step).isAnswered).map(({ id }) => id);
  const model = after.find(MODEL, modelCode);
  return model ? [...model.fields.keys(), ...relations.map(({ code }) => code)] : null;
}

const codesOf = (fields: readonly FieldContent[]): string[] => fields.map(({ code }) => code);

/** Values that their fields cannot have. What a variable stands for is not known yet. */
function reportValues(values: object, fields: readonly FieldContent[], path: string, report: Report): void {
  for (const [code, value] of Object.entries(values) as [string, unknown][]) {
    const field = fields.find((each) => each.code === code);
    if (!field || value === null || JSON.stringify(value).includes('"$')) continue;
    const checked = checkFieldValue(field, value);
    if ('problem' in checked) report(`${path}.${code}`, checked.problem);
  }
}

function reportUnknown(values: object, known: readonly string[], path: string, problem: Message, report: Report): void {
  for (const key of Object.keys(values)) {
    if (!known.includes(key)) report(`${path}.${key}`, withSuggestion(problem, key, known));
  }
}
