import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { BUILT_IN_ROLES } from '../../../platform/metadata/permissions/permissions.ts';
import { findModelOfPage } from '../pages/page-model.ts';
import { isReadable } from '../query/field-selection.ts';
import type { View } from '../view-content.ts';
import { isUsable } from './view-problems.ts';
import { VIEW } from './view-type.ts';

/** The views of the configuration that an actor may use, by name. */
export async function offeredViews(actor: Actor, pageKey?: string): Promise<View[]> {
  const offered: View[] = [];
  for (const view of actor.metadata.all(VIEW).values()) {
    if (pageKey !== undefined && view.pageKey !== pageKey) continue;
    await letOthersRun();
    const usable = usableView(view, actor);
    if (usable) offered.push(usable);
  }
  return offered.sort((a, b) => (`${a.name} ${a.pid}` < `${b.name} ${b.pid}` ? -1 : 1));
}

/** A view without the columns that the actor may not read; null where it asks for more than they may. */
export function usableView(view: View, actor: Actor): View | null {
  const model = findModelOfPage(actor.metadata, view.pageKey);
  if (!model || !actor.permissions.has(permissionCode.recordRead(model.code))) return null;
  if (view.role !== undefined && !actor.roles.some((role) => role === view.role || BUILT_IN_ROLES.has(role)))
    return null;
  if (!isUsable(view, model, actor)) return null;
  const columns = view.columns.filter((code) => {
    const field = model.fields.get(code);
    return field && isReadable(field, actor.permissions);
  });
  return { ...view, columns };
}
