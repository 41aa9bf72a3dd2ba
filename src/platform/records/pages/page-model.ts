import { notFound } from '../../../foundation/errors/application-error.ts';
import { authorize, type Actor } from '../../auth/requests/actor.ts';
import { permissionCode } from '../../metadata/permissions/permission-codes.ts';
import type { Configuration } from '../../metadata/resources/resource-type.ts';
import type { Snapshot } from '../../metadata/snapshot/snapshot.ts';
import { MODEL } from '../../metadata/models/model-type.ts';
import type { Model } from '../../metadata/models/model.ts';
import { followRelations } from '../conditions/row-rules.ts';
import { PAGE_SCHEMA } from './page-type.ts';
import type { Page } from './page-content.ts';

/**
 * The model as it is read through a page: the page's conditions bind every read as a row rule without
 * exceptions does. Writes take the model itself.
 */
function narrowedTo({ name, conditions }: Page, model: Model): Model {
  if (conditions.length === 0) return model;
  return {
    ...model,
    rowRules: [...model.rowRules, { name, conditions }],
    dependsOnActor: model.dependsOnActor || namesVariable(conditions) || followRelations(conditions),
  };
}

/** @throws NOT_FOUND */
function modelOfPage(metadata: Snapshot, pageKey: string): Model {
  const model = metadata.derive(modelsOfPages).get(pageKey);
  // Says which of the two is missing.
  return model ?? metadata.model(metadata.get(PAGE_SCHEMA, pageKey).modelCode);
}

/** A model, as a page narrows it where one is named. @throws NOT_FOUND, for a page of another model, too */
export function modelThroughPage(metadata: Snapshot, modelCode: string, pageKey: string | null): Model {
  if (pageKey === null) return metadata.model(modelCode);
  const model = modelOfPage(metadata, pageKey);
  if (model.code !== modelCode) throw notFound(PAGE_SCHEMA.notFound);
  return model;
}

export function findModelOfPage(metadata: Snapshot, pageKey: string): Model | undefined {
  return metadata.derive(modelsOfPages).get(pageKey);
}

/**
 * The model of the page of a request, as the page narrows it, for a caller who may read it. @throws
 * NOT_FOUND, FORBIDDEN
 */
export function authorizeModel({
  actor,
  params,
}: {
  readonly actor: Actor;
  readonly params: { readonly pageKey: string };
}) {
  const model = modelOfPage(actor.metadata, params.pageKey);
  authorize(actor, permissionCode.recordRead(model.code));
  return model;
}

function modelsOfPages(configuration: Configuration): ReadonlyMap<string, Model> {
  const models = new Map<string, Model>();
  for (const [pageKey, page] of configuration.all(PAGE_SCHEMA)) {
    const model = configuration.find(MODEL, page.modelCode);
    if (model) models.set(pageKey, narrowedTo(page, model));
  }
  return models;
}

/** Whether what the conditions find depends on the caller or the time. */
function namesVariable(conditions: unknown): boolean {
  return JSON.stringify(conditions).includes('"$');
}
