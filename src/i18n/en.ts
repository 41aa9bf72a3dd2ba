import { ERROR_CATALOGUE, type ErrorCode } from '../errors/catalogue.ts';
import { accounts } from './en/accounts.ts';
import { automations } from './en/automations.ts';
import { datasources } from './en/datasources.ts';
import { designer } from './en/designer.ts';
import { promotions } from './en/promotions.ts';
import { webhooks } from './en/webhooks.ts';

type CatalogueKey = (typeof ERROR_CATALOGUE)[ErrorCode]['message'];

/** The texts of the error codes, by their keys. */
const catalogue = Object.fromEntries(
  Object.values(ERROR_CATALOGUE).map(({ message, text }) => [message, text]),
) as Record<CatalogueKey, string>;

/**
 * What the program says, in the language it says it in: code throws these texts, and a text is found here by its words. `{name}`
 * stands for what differs; `{problem}` for a text of ours within another. A text that is not here stays English.
 * docs/decisions/0019.
 */
const said = {
  'said.no_such_path': 'There is nothing at this path',
  'said.no_such_command': 'There is no such command',
  'said.no_such_automation': 'There is no such automation',
  'said.no_such_assistant': 'There is no such assistant',
  'said.no_such_model': 'There is no such model',
  'said.no_such_page': 'There is no such page',
  'said.no_such_data_source': 'There is no such data source',
  'said.no_such_environment': 'There is no such environment',
  'said.no_such_execution': 'There is no such execution',
  'said.no_such_promotion': 'There is no such promotion',
  'said.no_such_record': 'There is no such record',
  'said.no_such_resource': 'There is no such resource',
  'said.wrong_credentials': 'The e-mail or the password is wrong',
  'said.no_membership': 'The user is a member of no tenant',
  'said.send_json': 'Send Content-Type: application/json',
  'said.send_utf8': 'JSON is sent as UTF-8',
  'said.unavailable': '{dependency} is unavailable',
  'said.database_slow': 'The database took too long to answer',
  'said.database_busy': 'Somebody else is changing the same; try again',
  'said.tables_busy': 'The tables of the models are in use',
  'said.value_taken': 'Another record has this value',
  'said.record_changed': 'The record has changed meanwhile',
  'said.key_used': 'The key was used for another request',
  'said.still_running': 'The first request with this key is still running',
  'said.cancelled': 'The execution was cancelled',
  'said.cancelled_early': 'The execution was cancelled before it ran',
  'said.ended_early': 'The workflow ended early',
  'said.only_by_promotion': '{environment} changes only through promotion',
  'said.locked': '{environment} is locked: {reason}',
  'said.own_promotion': 'Nobody approves their own promotion here',
  'said.cannot_roll_back': 'The promotion is {status}; only an APPLIED one can be rolled back',
  'said.run_terminated': 'An operator terminated the run in Temporal',
  'said.run_cancelled_there': 'An operator cancelled the run in Temporal',
  'said.cannot_evaluate': 'The data source cannot be evaluated: {problem}',

  'validation.required': 'is required',
  'validation.required_environment': 'is required: dev, staging or prod',
  'validation.once': 'is given more than once',
  'validation.named_twice': 'is named twice',
  'validation.not_valid': 'is not valid',
  'validation.malformed': 'is malformed',
  'validation.unknown': 'is not known here',
  'validation.unknown_among': 'is not known here; known are {names}',
  'validation.unknown_key': 'is not a known key',
  'validation.impossible': 'is not possible here',
  'validation.not_json': 'is not valid JSON',
  'validation.json_object': 'must be a JSON object',
  'validation.json_value': 'must be a JSON value',
  'validation.conditions': 'must be a JSON array of conditions',
  'validation.not_text': 'is not a valid text',
  'validation.not_unicode': 'is not well-formed Unicode',
  'validation.no_nul': 'must not contain the character NUL',
  'validation.no_nul_or_bad_unicode': 'must not contain NUL or ill-formed Unicode',
  'validation.cannot_be_stored': 'holds a value that cannot be stored',
  'validation.text': 'must be a text',
  'validation.no_secret_here': 'must not name a secret: only the headers of an http step may',
  'validation.gives_no_text': 'is not a text',
  'validation.written': 'must be a text that is not empty',
  'validation.not_empty': 'must not be empty',
  'validation.text_from_to': 'must be a text of {min} to {max} characters',
  'validation.boolean': 'must be true or false',
  'validation.date': 'must be a date such as 2026-01-31',
  'validation.time_with_zone': 'must be an ISO 8601 time with a zone, such as 2026-01-31T09:30:00Z',
  'validation.time': 'must be a date or an ISO 8601 time with a zone, such as 2026-01-31T09:30:00Z',
  'validation.decimal': 'must be a decimal number',
  'validation.integer_between': 'must be a whole number between {min} and {max}',
  'validation.integer_as_string': 'must be a whole number; send one above {max} as a string',
  'validation.integer_from_to': 'must be a whole number from {min} to {max}',
  'validation.integer_from': 'must be a whole number from {min}',
  'validation.pid': 'must be the pid of a record',
  'validation.pids': 'must be an array of resource pids',
  'validation.integer': 'must be a whole number',
  'validation.number': 'must be a number',
  'validation.number_from_to': 'must be a number from {min} to {max}',
  'validation.object': 'must be an object',
  'validation.array': 'must be an array',
  'validation.entries': 'must have {min} to {max} entries',
  'validation.entries_at_least': 'must have at least {min} entries',
  'validation.one_of': 'must be one of {values}',
  'validation.pattern': 'must match {pattern}',
  'validation.max': 'must not be greater than {max}',
  'validation.min': 'must not be less than {min}',
  'validation.max_length': 'must not be longer than {max} characters',
  'validation.too_deep': 'is nested deeper than {max} levels',
  'validation.forbidden_key': 'must not contain the key {key}',
  'validation.no_order': 'is a json field, which has no order',
  'validation.set_by_platform': 'is set by the platform',
  'validation.not_of_command': 'is not a field of this command',
  'validation.not_of_model': 'is not a field of {model}',
  'validation.not_a_record': 'is not a record of {model}',
  'validation.not_for_create': 'is not for a create',
  'validation.not_for_delete': 'is not for a delete',
  'validation.not_for_operation': 'is not for this operation',
  'validation.field_codes': 'must be an object of field codes',
  'validation.no_changes': 'must hold the fields to change',
  'validation.operations_say_which': 'this command does {operations}: say which',
  'validation.operations': 'this command does {operations}',
  'validation.environment': 'is not an environment',
  'validation.environment_id': 'must be the numeric id of an environment',
  'validation.not_the_source': 'must not be the source',
  'validation.places_some': 'must be an array of one or more {tenantId, roles}',
  'validation.format_version': 'must be 1',
} as const;

const parts = {
  ...said,
  ...accounts,
  ...automations,
  ...datasources,
  ...designer,
  ...promotions,
  ...webhooks,
} as const;

export type MessageKey = CatalogueKey | keyof typeof parts;

export const en: Readonly<Record<MessageKey, string>> = { ...catalogue, ...parts };
