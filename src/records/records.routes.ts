import { Router, type Request } from 'express';
import { authorise } from '../auth/actor.ts';
import type { Claimed, Gate } from '../auth/gate.ts';
import { notFound } from '../errors/application-error.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { answer, ok } from '../http/reply.ts';
import type { Model } from '../metadata/model.ts';
import { permissionCode } from '../metadata/permission-codes.ts';
import { ignoredNames, parseListQuery } from './list-query.ts';
import type { RecordsService } from './records.service.ts';
import type { Question, Scope, TotalsCache } from './totals-cache.ts';
import * as contracts from './records.contracts.ts';

/** Spec: "Endpoints", dynamic list and detail. */
export function recordRoutes(gate: Gate, records: RecordsService, totals: TotalsCache): Router {
  const router = Router();

  router.get(
    '/api/dynamic/:pageKey/list',
    access(permissionCode.recordRead('{modelCode}')),
    contract(contracts.listRecords),
    answer(async (request) => {
      let asked: Asked | null = null;
      const readTotal = (claimed: Claimed) => {
        asked = askedTotal(request, claimed);
        return asked ? totals.readCommands(asked.scope, asked.question) : [];
      };
      const { actor, ride } = await gate.admit(request, readTotal, 'lists');
      const model = modelOfPage(actor.metadata, request);
      authorise(actor, permissionCode.recordRead(model.code));
      const query = parseListQuery(request.query, model, actor.permissions);

      const question = confirmed(asked, actor.metadata.version);
      const { total, stamp } = totals.read(question ? ride : []);
      const result = await records.list(actor, model, query, total);
      if (question && total === null && query.count === 'exact' && result.total !== null) {
        totals.remember(question.scope, question.question, stamp, result.total);
      }
      const ignored = ignoredNames(request.query);
      return ok(
        result,
        ignored.length > 0 ? { headers: { 'X-Ignored-Params': ignored.map(encodeURIComponent).join(', ') } } : {},
      );
    }),
  );
  router.all('/api/dynamic/:pageKey/list', onlyMethods('GET'));

  router.get(
    '/api/dynamic/:pageKey/:recordId',
    access(permissionCode.recordRead('{modelCode}')),
    contract(contracts.getRecord),
    answer(async (request) => {
      const { actor } = await gate.admit(request, undefined, 'lists');
      const model = modelOfPage(actor.metadata, request);
      authorise(actor, permissionCode.recordRead(model.code));
      const record = await records.getById(actor, model, String(request.params.recordId));
      if (!record) throw notFound('There is no such record');
      return ok(record);
    }),
  );
  router.all('/api/dynamic/:pageKey/:recordId', onlyMethods('GET'));
  return router;
}

interface Asked {
  readonly scope: Scope;
  readonly question: Question;
}

/**
 * Which total a list asks for, guessed from the request and this node's snapshot. Null where it cannot be known yet, and
 * for models whose totals differ from caller to caller.
 */
function askedTotal(request: Request, { environment, tenantId, metadata }: Claimed): Asked | null {
  const modelCode = metadata?.pages.get(String(request.params.pageKey))?.modelCode;
  const model = modelCode === undefined ? undefined : metadata?.models.get(modelCode);
  if (!metadata || !model || model.dependsOnActor) return null;
  const text = (name: string): string => JSON.stringify(request.query[name] ?? '');
  return {
    scope: { environment, tenantId, modelCode: model.code },
    question: { metadataVersion: metadata.version, keyword: text('keyword'), filters: text('filters') },
  };
}

/** A guess made with an older snapshot does not count: the page may have become another model's. */
function confirmed(asked: Asked | null, metadataVersion: number): Asked | null {
  return asked?.question.metadataVersion === metadataVersion ? asked : null;
}

function modelOfPage(metadata: Claimed['metadata'] & object, request: Request): Model {
  return metadata.model(metadata.page(String(request.params.pageKey)).modelCode);
}
