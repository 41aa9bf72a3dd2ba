import { newPid } from '../../../foundation/database/pid.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { conflict, notFound, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { PAGE_SCHEMA } from '../../../platform/records/pages/page-type.ts';
import { authorizeModel, findModelOfPage } from '../../../platform/records/pages/page-model.ts';
import { MAX_VIEWS } from '../../../platform/records/records.limits.ts';
import { SavedViewEntity, type SavedView } from './saved-view.entity.ts';
import type { View, ViewParts } from '../../../platform/records/pages/view-content.ts';
import { visibleDisplay } from './view-display.ts';
import { problemsOfView, isUsable, viewsByPid, VIEW } from './view-type.ts';
import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { BUILT_IN_ROLES } from '../../../platform/metadata/permissions/permissions.ts';
import { isReadable } from '../../../platform/records/field-selection.ts';

export type NewView = ViewParts & { readonly name: string; readonly pageKey: string };
type ViewChanges = ViewParts & { readonly name?: string };

/** Saved views: those that the configuration offers, and those of the caller's own. */
export class ViewsService {
  readonly #orm: PlatformOrm;

  constructor(orm: PlatformOrm) {
    this.#orm = orm;
  }

  /** What the actor may use: first what the configuration offers, then the own ones, by name. */
  async list(actor: Actor, pageKey: string | undefined): Promise<View[]> {
    const own = await this.#orm.em
      .fork()
      .find(
        SavedViewEntity,
        { ...ownedBy(actor), ...(pageKey && { pageKey }) },
        { orderBy: { name: 'asc', id: 'asc' } },
      );
    const usable = own.flatMap((row) => usableView(toView(row), actor) ?? []);
    return [...(await offeredViews(actor, pageKey)), ...usable];
  }

  /** A view that the actor may use. @throws NOT_FOUND */
  async get(actor: Actor, pid: string): Promise<View> {
    return (await this.find(actor, pid)) ?? missing();
  }

  /** As `get`; null where there is none. Only the actor's own take a statement. */
  async find(actor: Actor, pid: string): Promise<View | null> {
    const offered = actor.metadata.derive(viewsByPid).get(pid);
    if (offered) return usableView(offered, actor);
    const own = await this.#orm.em.fork().findOne(SavedViewEntity, { ...ownedBy(actor), pid });
    return own && usableView(toView(own), actor);
  }

  /**
   * The view that a request for records of a page names; null without one, and where there is a field error.
   * @param pageKey null: of any page
   * @param errors says so of one that is not there, is of another page, or asks for more than the actor may
   */
  async findOfPage(
    actor: Actor,
    pageKey: string | null,
    pid: string | undefined,
    errors: FieldErrors,
  ): Promise<View | null> {
    if (pid === undefined) return null;
    const view = await this.find(actor, pid);
    if (view && (pageKey === null || view.pageKey === pageKey)) return view;
    errors.viewId = 'There is no such view';
    return null;
  }

  /** Checks the parts of a new view in view of its page. @throws FORBIDDEN */
  check(actor: Actor, { pageKey, ...parts }: Partial<NewView>, errors: FieldErrors): void {
    if (pageKey === undefined) return;
    if (findModelOfPage(actor.metadata, pageKey)) {
      const model = authorizeModel({ actor, params: { pageKey } });
      Object.assign(errors, { ...problemsOfView(parts, model, actor), ...errors });
    } else errors.pageKey = PAGE_SCHEMA.notFound;
  }

  /** The same for a change of a view that is there. @throws FORBIDDEN */
  async checkChanges(actor: Actor, pid: string, changes: ViewChanges, errors: FieldErrors): Promise<void> {
    const row = await this.#orm.em.fork().findOne(SavedViewEntity, { ...ownedBy(actor), pid });
    if (!row) return;
    const { pageKey, conditions, sortFields, columns, display } = row;
    this.check(actor, { pageKey, conditions, sortFields, columns, display, ...changes }, errors);
  }

  /** Makes a checked view of the actor's own. @throws CONFLICT (LIMIT) */
  async create(actor: Actor, view: NewView): Promise<View> {
    const { name, pageKey, conditions = [], sortFields = [], columns = [], display = {} } = view;
    const em = this.#orm.em.fork();
    if ((await em.count(SavedViewEntity, ownedBy(actor))) >= MAX_VIEWS) {
      throw conflict('LIMIT', text('You have {max} views of your own', { max: MAX_VIEWS }));
    }
    const parts = { name, pageKey, conditions, sortFields, columns, display };
    const row = em.create(SavedViewEntity, { pid: newPid(), ...ownedBy(actor), ...parts });
    await em.flush();
    return toView(row);
  }

  /** Makes checked changes of a view of the actor's own. @throws NOT_FOUND */
  async update(actor: Actor, pid: string, changes: ViewChanges): Promise<View> {
    const em = this.#orm.em.fork();
    const row = await this.#find(em, actor, pid);
    em.assign(row, changes);
    await em.flush();
    return toView(row);
  }

  /** Removes a view of the actor's own. @throws NOT_FOUND */
  async delete(actor: Actor, pid: string): Promise<void> {
    const em = this.#orm.em.fork();
    em.remove(await this.#find(em, actor, pid));
    await em.flush();
  }

  async #find(em: PlatformEntityManager, actor: Actor, pid: string): Promise<SavedView> {
    return (await em.findOne(SavedViewEntity, { ...ownedBy(actor), pid })) ?? missing();
  }
}

function ownedBy({ userPid, tenantId, metadata: { environment } }: Actor) {
  return { userPid, tenantId, environment };
}

function toView({ pid, name, pageKey, conditions, sortFields, columns, display }: SavedView): View {
  return { pid, name, pageKey, conditions, sortFields, columns, display, scope: 'private' };
}

function missing(): never {
  throw notFound('There is no such view');
}

/** The views of the configuration that an actor may use, by name. */
async function offeredViews(actor: Actor, pageKey?: string): Promise<View[]> {
  const offered: View[] = [];
  for (const view of actor.metadata.all(VIEW).values()) {
    if (pageKey !== undefined && view.pageKey !== pageKey) continue;
    await letOthersRun();
    const usable = usableView(view, actor);
    if (usable) offered.push(usable);
  }
  return offered.sort((a, b) => (`${a.name} ${a.pid}` < `${b.name} ${b.pid}` ? -1 : 1));
}

/** A view without the fields that the actor may not read; null where it asks for more than they may. */
export function usableView(view: View, actor: Actor): View | null {
  const model = findModelOfPage(actor.metadata, view.pageKey);
  if (!model || !actor.permissions.has(permissionCode.recordRead(model.code))) return null;
  if (view.role !== undefined && !actor.roles.some((role) => role === view.role || BUILT_IN_ROLES.has(role)))
    return null;
  if (!isUsable(view, model, actor)) return null;
  const isVisible = (code: string): boolean => {
    const field = model.fields.get(code);
    return field !== undefined && isReadable(field, actor.permissions);
  };
  const display = visibleDisplay(view.display, isVisible);
  return { ...view, columns: view.columns.filter(isVisible), display };
}
