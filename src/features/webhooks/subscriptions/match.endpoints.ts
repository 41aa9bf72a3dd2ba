import { endpoint, type Endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { WEBHOOK_MANAGE } from '../../../platform/metadata/permissions/permission-codes.ts';
import { integer, list, nullable, object, PID, text, TIME } from '../../../foundation/validation/schema.ts';
import type { MatchRecent } from '../matching/recent-matches.ts';
import { DRAFT_BODY } from './subscription-request.ts';
import { authorizeInterest, checkInterest } from './subscription-rules.ts';

/** What a subscription would have heard of late, before it is saved. */
export function matchEndpoint(matchRecent: MatchRecent): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/api/webhooks/match',
    access: [WEBHOOK_MANAGE],
    tag: 'Webhooks',
    summary: 'Which of the newest events a subscription would hear',
    description:
      'The newest 200 events of the type are looked at, as far as you may see them. Nothing is stored or sent.',
    body: DRAFT_BODY,
    data: object({
      looked: integer(0),
      matched: integer(0),
      events: list(
        object({ pid: PID, eventType: text(), modelCode: nullable(text()), createdAt: TIME, traceId: text() }),
      ),
    }),
    budget: 'lists',
    check: ({ actor, body: { modelCode = null, eventType } }, errors) =>
      checkInterest({ modelCode, ...(eventType !== undefined && { eventType }) }, actor.metadata, errors),
    handle({ actor, body: { eventType, modelCode = null, filterExpression = null } }) {
      const draft = { eventType, modelCode, filterExpression: filterExpression === '' ? null : filterExpression };
      authorizeInterest(actor, draft);
      return matchRecent(actor, draft);
    },
  });
}
