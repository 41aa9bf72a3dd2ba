import { ADMINISTRATION_TEXTS } from './features/administration/administration.texts.ts';
import { ASSISTANT_TEXTS } from './features/assistant/assistant.texts.ts';
import { AUTOMATIONS_TEXTS } from './features/automations/automations.texts.ts';
import { COMMANDS_TEXTS } from './features/commands/commands.texts.ts';
import { CONSOLE_TEXTS } from './features/console/console.texts.ts';
import { DASHBOARDS_TEXTS } from './features/dashboards/dashboards.texts.ts';
import { DATASOURCES_TEXTS } from './features/datasources/datasources.texts.ts';
import { DESIGNER_TEXTS } from './features/designer/designer.texts.ts';
import { ENVIRONMENTS_TEXTS } from './features/environments/environments.texts.ts';
import { FILES_TEXTS } from './platform/files/files.texts.ts';
import { HEALTH_TEXTS } from './features/health/health.texts.ts';
import { IMPORTS_TEXTS } from './features/imports/imports.texts.ts';
import { MESSAGING_TEXTS } from './features/messaging/messaging.texts.ts';
import { PROMOTIONS_TEXTS } from './features/promotions/promotions.texts.ts';
import { RECORDS_TEXTS } from './platform/records/records.texts.ts';
import { WEBHOOKS_TEXTS } from './features/webhooks/webhooks.texts.ts';
import { DATABASE_TEXTS } from './foundation/database/database.texts.ts';
import { ERRORS_TEXTS } from './foundation/errors/errors.texts.ts';
import { EXPRESSIONS_TEXTS } from './foundation/expressions/expressions.texts.ts';
import { HTTP_TEXTS } from './foundation/http/http.texts.ts';
import { OUTBOUND_TEXTS } from './foundation/outbound/outbound.texts.ts';
import { VALIDATION_TEXTS } from './foundation/validation/validation.texts.ts';
import { AUTH_TEXTS } from './platform/auth/auth.texts.ts';
import { EVENTS_TEXTS } from './platform/events/events.texts.ts';
import { METADATA_TEXTS } from './platform/metadata/metadata.texts.ts';
import { STREAMS_TEXTS } from './platform/streams/streams.texts.ts';

/** The texts of all rooms. */
export const OFFLINE_TEXTS = [
  ADMINISTRATION_TEXTS,
  ASSISTANT_TEXTS,
  AUTH_TEXTS,
  AUTOMATIONS_TEXTS,
  COMMANDS_TEXTS,
  CONSOLE_TEXTS,
  DASHBOARDS_TEXTS,
  DATABASE_TEXTS,
  DATASOURCES_TEXTS,
  DESIGNER_TEXTS,
  ENVIRONMENTS_TEXTS,
  ERRORS_TEXTS,
  EVENTS_TEXTS,
  EXPRESSIONS_TEXTS,
  FILES_TEXTS,
  HEALTH_TEXTS,
  IMPORTS_TEXTS,
  HTTP_TEXTS,
  MESSAGING_TEXTS,
  METADATA_TEXTS,
  OUTBOUND_TEXTS,
  PROMOTIONS_TEXTS,
  RECORDS_TEXTS,
  STREAMS_TEXTS,
  VALIDATION_TEXTS,
  WEBHOOKS_TEXTS,
];
