import { ApplicationError, notFound } from '../../../foundation/errors/application-error.ts';
import { Text } from '../../../foundation/i18n/text.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import { PAGE_SCHEMA } from '../../../platform/records/pages/page-type.ts';
import type { Page } from '../../../platform/records/pages/page-content.ts';
import type { RecordData } from '../../../platform/records/reader/record-reader.ts';
import type { RecordService } from '../../records/service/records.service.ts';
import type { CommandContent } from '../definition/command-content.ts';
import { checkStateAndRules } from '../performing/state-and-rules.ts';
import { COMMAND } from '../definition/command-type.ts';

/** A command for a record, and whether the record's present state allows it. */
export interface OfferedCommand {
  readonly code: string;
  readonly name: Text;
  readonly allowed: boolean;
  /** Why it is not allowed; null where it is. */
  readonly reason: Text | null;
}

/** The codes of the commands that a page offers, in its order; without any, those of its model. */
export function commandsOfPage(metadata: Snapshot, { commands, modelCode }: Page): readonly string[] {
  if (commands) return commands;
  const own = [...metadata.all(COMMAND)].filter(([, command]) => command.modelCode === modelCode);
  return own.map(([code]) => code).sort();
}

/**
 * The commands of a page that the actor may execute and that work on a record.
 * @param model as the page narrows it
 * @throws NOT_FOUND for a record that the actor may not see
 */
export async function commandsForRecord(
  records: RecordService,
  actor: Actor,
  model: Model,
  recordPid: string,
  pageKey: string,
): Promise<OfferedCommand[]> {
  const record = await records.getWhole(actor, model.code, recordPid, { pageKey });
  if (!record) throw notFound('There is no such record');
  const page = actor.metadata.get(PAGE_SCHEMA, pageKey);
  const commands = commandsOfPage(actor.metadata, page).map(async (code) => {
    const command = actor.metadata.find(COMMAND, code);
    const isMeant = command?.modelCode === model.code && worksOnRecord(command);
    if (!isMeant || !actor.permissions.has(permissionCode.commandExecute(code))) return [];
    const reason = await refusalOf(command, actor, record);
    return [{ code, name: Text.from(command.name), allowed: reason === null, reason }];
  });
  return (await Promise.all(commands)).flat();
}

function worksOnRecord({ operations, target = false }: CommandContent): boolean {
  return target || operations.includes('UPDATE') || operations.includes('DELETE');
}

/** Why a command would be refused, as far as that does not depend on its payload. */
async function refusalOf(command: CommandContent, actor: Actor, record: RecordData): Promise<Text | null> {
  try {
    await checkStateAndRules(command, actor, { record });
    return null;
  } catch (error) {
    if (error instanceof ApplicationError) return Text.from(error.text);
    throw error;
  }
}
