import type { FieldContent } from '../metadata/content.ts';
import type { Field, Model } from '../metadata/model.ts';

const PID = '01J9ZQ4W7N0000000000SAMPLE';
const TIME = '2026-01-31T09:30:00.000Z';
const USER_PID = '01J9ZQ4W7N00000000000USER0';

/** A record of the model as an event would carry it: every field, those of the system included. */
export function sampleRecord(model: Model): Record<string, unknown> {
  return Object.fromEntries([...model.fields.values()].map((field) => [field.code, sampleOf(field)]));
}

/** What a command that writes the whole record would be sent. */
export function sampleFields(fields: readonly FieldContent[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((content) => [content.code, sampleValue(content)]));
}

/** The model's own fields: those that payloads may name. */
export function ownFields(model: Model): FieldContent[] {
  return [...model.fields.values()].flatMap(({ content }) => content ?? []);
}

/** The pid that sample records have. */
export function samplePid(): string {
  return PID;
}

function sampleOf({ code, content }: Field): unknown {
  if (content) return sampleValue(content);
  const system: Record<string, unknown> = {
    ...{ id: '1', pid: PID, tenant_id: '1', created_at: TIME, created_by: USER_PID },
    ...{ updated_at: TIME, updated_by: USER_PID, version: 1 },
  };
  return system[code] ?? null;
}

function sampleValue(field: FieldContent): unknown {
  if (field.default !== undefined) return field.default;
  const { code, name, type, min, max, values, maxLength = 255 } = field;
  const within = (number: number): number => Math.min(Math.max(number, min ?? number), max ?? number);
  switch (type) {
    case 'string':
    case 'text':
      return sampleText(code, name).slice(0, maxLength);
    case 'enum':
      return values?.[0] ?? null;
    case 'integer':
      return Math.round(within(42));
    case 'bigint':
      return String(Math.round(within(42)));
    case 'decimal':
      return within(1250).toFixed(2);
    case 'boolean':
      return true;
    case 'date':
      return TIME.slice(0, 10);
    case 'datetime':
      return TIME;
    case 'json':
      return {};
    case 'relation':
    case 'file':
      return PID;
  }
}

function sampleText(code: string, name: string): string {
  if (code.includes('email')) return 'someone@example.com';
  if (/url|website/.test(code)) return 'https://example.com/';
  return `Sample ${name.toLowerCase()}`;
}
