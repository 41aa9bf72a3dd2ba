import { AUTOMATION } from '../../src/features/automations/definition/automation-type.ts';
import { eventsOf } from '../../src/features/commands/definition/command-events.ts';
import { COMMAND } from '../../src/features/commands/definition/command-type.ts';
import { DATASOURCE } from '../../src/features/datasources/datasource-type.ts';
import { PAGE_SCHEMA } from '../../src/platform/records/pages/page-type.ts';
import { RECORD_EVENT_TYPES } from '../../src/platform/metadata/resources/event-types.ts';
import type { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import { HELPER_TYPES } from './helper-types.ts';
import { payloadMembers } from './field-type.ts';
import { printCommand, printEmitted } from './print-command.ts';
import { printDataSource } from './print-data-source.ts';
import { printModel, referrersIn } from './print-model.ts';
import { objectType, sorted, textLiteral, unionOf, type Member } from './source-text.ts';

/** The declarations of an application's models, pages, commands, events, data sources and automations. */
export function printTypes(metadata: Snapshot): string {
  const { models } = metadata;
  const commands = metadata.all(COMMAND);
  const referrers = referrersIn(models);
  const parts = {
    Models: membersOf(models, (_code, model) => printModel(model, referrers)),
    Pages: membersOf(metadata.all(PAGE_SCHEMA), (_code, { modelCode, columns }) =>
      objectType([
        { name: 'model', type: textLiteral(modelCode) },
        { name: 'columns', type: unionOf(columns.map(({ fieldName }) => textLiteral(fieldName)).sort()) },
      ]),
    ),
    Commands: membersOf(commands, (_code, command) => printCommand(command, metadata)),
    Events: eventMembers(metadata),
    DataSources: membersOf(metadata.all(DATASOURCE), (_code, source) => printDataSource(source)),
    Automations: membersOf(metadata.all(AUTOMATION), (_code, { content: { input = [] } }) =>
      objectType([{ name: 'input', type: objectType(payloadMembers(input), 'NoFields') }]),
    ),
  };
  const interfaces = Object.entries(parts).map(([name, members]) => `export interface ${name} ${objectType(members)}`);
  return `${[...interfaces, HELPER_TYPES].join('\n\n')}`;
}

function membersOf<T>(all: ReadonlyMap<string, T>, print: (code: string, one: T) => string): Member[] {
  return sorted(all).map(([name, one]) => ({ name, type: print(name, one) }));
}

/** Several commands may have the same event. */
function eventMembers(metadata: Snapshot): Member[] {
  const ofCommands = sorted(metadata.all(COMMAND)).flatMap(([code, command]) =>
    eventsOf(code, command).map((event) => [event.eventType, printEmitted(event, metadata)] as const),
  );
  const all = [...ofCommands, ...RECORD_EVENT_TYPES.map((type) => [type, 'RecordEvent'] as const)];
  const byType = Map.groupBy(all, ([type]) => type);
  return membersOf(byType, (_type, events) => unionOf(events.map(([, type]) => type)));
}
