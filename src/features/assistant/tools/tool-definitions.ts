import { OPERATORS } from '../../records/operators.ts';
import { MAX_LISTED } from '../assistant.limits.ts';
import type { KnownCommand, KnownField, KnownRelation, Toolbox } from './toolbox.ts';

/** A tool as providers accept it. `parameters` is a JSON Schema. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: Record<string, unknown>;
}

const RELATED =
  'Related records to read as well: a field of type relation, a relation of the model, or `<model>.<field>` for the ' +
  'records of another model that name this one in that field';

/** The tools that a reply may use. Calls of others are refused. */
export function toolDefinitions({ models, commands }: Toolbox): ToolDefinition[] {
  const codes = (may: 'mayList' | 'mayRead' | 'mayDescribe'): string[] =>
    models.filter((model) => model[may]).map(({ code }) => code);
  const tools: ToolDefinition[] = [];
  const add = (name: string, description: string, properties: Record<string, unknown>, required: string[]): void => {
    tools.push({
      name,
      description,
      parameters: { type: 'object', properties, required, additionalProperties: false },
    });
  };
  if (codes('mayList').length > 0) {
    const filters = `Conditions joined by AND: {"fieldName", "operator", "value"}; operators: ${OPERATORS.join(', ')}`;
    add(
      'list_records',
      'Finds records of a model and counts all that match. For a count alone use limit 0.',
      {
        model: { type: 'string', enum: codes('mayList') },
        filters: { type: 'array', items: { type: 'object' }, description: filters },
        keyword: { type: 'string', description: 'A text in any searchable field' },
        sortField: { type: 'string', description: 'Default created_at' },
        sortOrder: { type: 'string', enum: ['asc', 'desc'] },
        limit: { type: 'integer', minimum: 0, maximum: MAX_LISTED },
      },
      ['model'],
    );
  }
  if (codes('mayRead').length > 0) {
    const properties = {
      model: { type: 'string', enum: codes('mayRead') },
      pid: { type: 'string', description: "The record's pid" },
      expand: { type: 'array', items: { type: 'string' }, description: RELATED },
    };
    add('read_record', 'Reads one record.', properties, ['model', 'pid']);
  }
  if (codes('mayDescribe').length > 0) {
    const model = { type: 'string', enum: codes('mayDescribe') };
    add('describe_model', 'The fields of a model with their types and values, and its relations.', { model }, [
      'model',
    ]);
  }
  if (commands.length > 0) {
    add(
      'run_command',
      `Changes data, after the user has confirmed it (that is asked for you). Commands:\n${commands.map(commandLine).join('\n')}`,
      {
        command: { type: 'string', enum: commands.map(({ code }) => code) },
        payload: { type: 'object', description: 'Field codes and values' },
        operationType: { type: 'string', enum: ['CREATE', 'UPDATE', 'DELETE', 'CUSTOM'] },
        targetRecordId: { type: 'string', description: 'The pid of the record to update, delete or work on' },
      },
      ['command'],
    );
  }
  return tools;
}

function commandLine({ code, name, operations, takesTarget, fields, relations }: KnownCommand): string {
  const own = operations.every((one) => one === 'DELETE') ? '' : `; fields: ${fields.map(fieldSummary).join(', ')}`;
  const needs = [own, ...relations.map(relationSummary)].join('; ');
  return `${code}: ${name} (${operations.join(', ')}${takesTarget ? ', needs targetRecordId' : ''})${needs}`;
}

function relationSummary({ code, kinds, fields }: KnownRelation): string {
  const items = { create: '{fields}', update: '{pid, fields}', unlink: 'pid', delete: 'pid' };
  const lists = kinds.map((kind) => `${kind}: [${items[kind]}]`).join(', ');
  return `${code}: {${lists}} of related records with ${fields.map(fieldSummary).join(', ')}`;
}

function fieldSummary({ code, type, required, values }: KnownField): string {
  return `${code}${required ? '*' : ''} ${values.length > 0 ? values.join('|') : type}`;
}
