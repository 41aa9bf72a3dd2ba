import { ASSISTANT } from '../../src/features/assistant/assistant-type.ts';
import { AUTOMATION } from '../../src/features/automations/definition/automation-type.ts';
import { COMMAND } from '../../src/features/commands/command-type.ts';
import { DATASOURCE } from '../../src/features/datasources/datasource-type.ts';
import { IM_CHANNEL } from '../../src/features/messaging/channel-type.ts';
import { MODEL_WITH_ROW_RULES } from '../../src/features/records/model-with-row-rules.ts';
import { PAGE_SCHEMA } from '../../src/features/records/page-type.ts';
import { VIEW } from '../../src/features/records/views/view-type.ts';
import { PERMISSION } from '../../src/platform/metadata/permissions/permission-type.ts';
import { ResourceTypes } from '../../src/platform/metadata/resources/resource-types.ts';
import { I18N } from '../../src/platform/metadata/translations/translations.ts';

/** The types of the program, for unit tests: without the checks that need a database. */
export const resourceTypes = new ResourceTypes([
  MODEL_WITH_ROW_RULES,
  PAGE_SCHEMA,
  VIEW,
  COMMAND,
  PERMISSION,
  DATASOURCE,
  I18N,
  AUTOMATION,
  ASSISTANT,
  IM_CHANNEL,
]);
