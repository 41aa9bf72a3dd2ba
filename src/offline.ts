import { ASSISTANT } from './features/assistant/assistant-type.ts';
import { AUTOMATION } from './features/automations/definition/automation-type.ts';
import { COMMAND } from './features/commands/definition/command-type.ts';
import { DASHBOARD } from './features/dashboards/dashboard-type.ts';
import { dataSourceType } from './features/datasources/datasource-type.ts';
import { SqlRehearsal } from './features/datasources/sql/sql-rehearsal.ts';
import { IM_CHANNEL } from './features/messaging/channel-type.ts';
import { MODEL_WITH_ROW_RULES } from './platform/records/conditions/row-rules.ts';
import { PAGE_SCHEMA } from './platform/records/pages/page-type.ts';
import { VIEW } from './features/records/views/view-type.ts';
import { englishTexts } from './foundation/i18n/text-table.ts';
import { OFFLINE_TEXTS } from './offline-texts.ts';
import { ResourceChecks } from './platform/metadata/changes/resource-checks.ts';
import { PERMISSION } from './platform/metadata/permissions/permission-type.ts';
import type { ResourceType } from './platform/metadata/resources/resource-type.ts';
import { ResourceTypes } from './platform/metadata/resources/resource-types.ts';
import { I18N } from './platform/metadata/translations/translations.ts';

const TYPES: readonly ResourceType[] = [
  MODEL_WITH_ROW_RULES,
  PAGE_SCHEMA,
  VIEW,
  COMMAND,
  PERMISSION,
  dataSourceType({ rehearsal: new SqlRehearsal(null), outbound: null }),
  I18N,
  AUTOMATION,
  ASSISTANT,
  IM_CHANNEL,
  DASHBOARD,
];

/**
 * The types of resources and the public keys of texts, for checks of files. It is not made of the features'
 * declarations, so that the command line holds nothing of the program but what checks files; a test compares
 * the two.
 */
export function offlineResourceChecks(): ResourceChecks {
  return new ResourceChecks(new ResourceTypes(TYPES), englishTexts(OFFLINE_TEXTS));
}
