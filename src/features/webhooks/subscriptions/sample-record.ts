import { SAMPLE_TIME } from '../../../platform/metadata/field-types/datetime.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import { SAMPLE_PID } from '../../../platform/metadata/field-types/pid-values.ts';
import type { Field, Model } from '../../../platform/metadata/models/model.ts';

const USER_PID = '01J9ZQ4W7N00000000000USER0';

/** A record of the model as an event would carry it: every field, those of the system included. */
export function sampleRecord(model: Model): Record<string, unknown> {
  return Object.fromEntries([...model.fields.values()].map((field) => [field.code, sampleOf(field)]));
}

/** What a command that writes the whole record would be sent. */
export function sampleFields(fields: readonly FieldContent[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((content) => [content.code, sampleValue(content)]));
}

function sampleOf({ code, content }: Field): unknown {
  if (content) return sampleValue(content);
  const system: Record<string, unknown> = {
    id: '1',
    pid: SAMPLE_PID,
    tenant_id: '1',
    created_at: SAMPLE_TIME,
    created_by: USER_PID,
    updated_at: SAMPLE_TIME,
    updated_by: USER_PID,
    version: 1,
  };
  return system[code] ?? null;
}

function sampleValue(field: FieldContent): unknown {
  return field.default !== undefined ? field.default : FIELD_TYPES[field.type].sample(field);
}
