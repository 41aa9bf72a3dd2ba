import { forbidden } from '../../foundation/errors/application-error.ts';
import { text } from '../../foundation/i18n/text.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { Field, Model } from '../../platform/metadata/models/model.ts';
import { brokenDataSource } from './broken-data-source.ts';

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
