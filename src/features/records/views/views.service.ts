import { newPid } from '../../../foundation/database/pid.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { conflict, notFound, throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { PAGE_SCHEMA } from '../page-type.ts';
import { authorizeModel, findModelOfPage } from '../pages/page-model.ts';
import { MAX_VIEWS } from '../records.limits.ts';
import { offeredViews, usableView } from './offered-views.ts';
import { SavedViewEntity, type SavedView } from './saved-view.entity.ts';
import type { View, ViewParts } from '../view-content.ts';
import { problemsOfView } from './view-problems.ts';
import { viewsByPid } from './view-type.ts';

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

  /** Makes a view of the actor's own. @throws VALIDATION_ERROR, FORBIDDEN, CONFLICT (LIMIT) */
  async create(actor: Actor, asked: NewView): Promise<View> {
    const { name, pageKey, conditions = [], sortFields = [], columns = [] } = asked;
    const model = readableModel(actor, pageKey);
    throwIfInvalid(problemsOfView(asked, model, actor));
    const em = this.#orm.em.fork();
    if ((await em.count(SavedViewEntity, ownedBy(actor))) >= MAX_VIEWS) {
      throw conflict('LIMIT', text('You have {max} views of your own', { max: MAX_VIEWS }));
    }
    const parts = { name, pageKey, conditions, sortFields, columns };
    const row = em.create(SavedViewEntity, { pid: newPid(), ...ownedBy(actor), ...parts });
    await em.flush();
    return toView(row);
  }

  /** Changes a view of the actor's own. @throws NOT_FOUND, VALIDATION_ERROR, FORBIDDEN */
  async update(actor: Actor, pid: string, changes: ViewChanges): Promise<View> {
    const em = this.#orm.em.fork();
    const row = await this.#find(em, actor, pid);
    const { conditions, sortFields, columns } = row;
    throwIfInvalid(
      problemsOfView({ conditions, sortFields, columns, ...changes }, readableModel(actor, row.pageKey), actor),
    );
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

/** @throws VALIDATION_ERROR, FORBIDDEN */
function readableModel(actor: Actor, pageKey: string): Model {
  const errors: FieldErrors = {};
  if (!findModelOfPage(actor.metadata, pageKey)) errors.pageKey = PAGE_SCHEMA.notFound;
  throwIfInvalid(errors);
  return authorizeModel({ actor, params: { pageKey } });
}

function toView({ pid, name, pageKey, conditions, sortFields, columns }: SavedView): View {
  return { pid, name, pageKey, conditions, sortFields, columns, scope: 'private' };
}

function missing(): never {
  throw notFound('There is no such view');
}
