import { commandActivities } from '../../../activities/commands.activities.ts';
import { ExecutionEntity } from './executions/execution.entity.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { ChangeRetention } from '../../platform/events/changes/change-retention.ts';
import { purgeCommand } from './lifecycle/purge-command.ts';
import { RECORD_RESTORE } from './lifecycle/restore-command.ts';
import { RECORD_RELATE, RECORD_UNRELATE } from './lifecycle/relate-commands.ts';
import { RECORD_REVERT } from './lifecycle/revert-command.ts';
import { recordHistoryEndpoints } from './lifecycle/record-history.endpoints.ts';
import { RepeatedStarts } from '../../foundation/jobs/repeated-starts.ts';
import type { CheckingParts } from '../../platform/feature.ts';
import { type Platform } from '../../platform/platform.ts';
import { type RecordsFeature } from '../records/records.feature.ts';
import { type PlatformCommand, type PlatformCommands } from './platform-command.ts';
import { ExecutionNotifier } from './executions/execution-notifier.ts';
import { CommandRunner } from './command-runner.ts';
import { CommandStarter } from './executions/command-starter.ts';
import { CommandGroupRunner } from './groups/command-group-runner.ts';
import { commandLane } from './groups/command-lane.ts';
import { CommandsService } from './commands.service.ts';
import { batchEndpoints } from './batches/batches.endpoints.ts';
import { BatchRunner } from './batches/batch-runner.ts';
import { Batches } from './batches/batches.ts';
import { DryRuns } from './dry-run.ts';
import { Executions } from './executions/executions.ts';
import { executionEndpoints } from './executions.endpoints.ts';
import { commandEndpoints } from './commands.endpoints.ts';
import { Lineages } from './lineage/lineage.ts';
import { lineageEndpoints } from './lineage/lineage.endpoints.ts';
import { recordCommandEndpoints } from './record-commands.endpoints.ts';
import { ExecutionRetention } from './executions/execution-retention.ts';
import { TotalsOfEvents } from './totals-of-events.ts';
import { ExecutionStreams } from './executions/execution-stream.ts';
import { NodePresence } from './executions/node-presence.ts';
import { PurgePositionEntity } from './executions/purge-position.entity.ts';
import { StuckExecutionSweeper } from './executions/stuck-execution-sweeper.ts';
import { exampleEndpoints } from './examples/examples.endpoints.ts';
import { commandType } from './examples/failing-examples.ts';
import { COMMANDS_TEXTS } from './commands.texts.ts';

/** Accepting, executing and answering commands. Spec: "Command rules". */
export const commands = {
  texts: [COMMANDS_TEXTS],
  entities: [ExecutionEntity, PurgePositionEntity],
  resourceTypes: ({ database }: CheckingParts) => [commandType(database)],

  create(
    foundation: Foundation,
    platform: Platform,
    { totals, service: records, visibility }: RecordsFeature,
    designerCommands: PlatformCommands,
  ) {
    const { config, logger, metrics, orm, database, store, temporal } = foundation;
    const { changeLog, executionPayloads } = config.retentionDays;
    const { snapshots, changeSets, limits, streams, streamWriter, outboxSignal } = platform;
    const { eventErasers, eventAudiences, eventConsequences } = platform;
    const purge = purgeCommand(snapshots, eventErasers, executionPayloads);
    const platformCommands = withRecordCommands(designerCommands, [...OF_RECORDS, purge]);
    const notifier = new ExecutionNotifier(store, logger);
    const starts = new RepeatedStarts(store, 'command');
    const runner = new CommandRunner(
      database,
      orm,
      platformCommands,
      snapshots,
      totals,
      notifier,
      starts,
      metrics,
      logger,
    );
    const starter = new CommandStarter(temporal);
    const presence = new NodePresence(store);
    const lane = commandLane(starter, notifier, config, (error) => temporal.wasOnlySlow(error), metrics);
    const service = new CommandsService(database, runner, starter, lane, notifier, presence.nodePid, config, logger);
    const dryRuns = new DryRuns(database, visibility, eventAudiences);
    const groups = new CommandGroupRunner(database, runner, starter, starts, lane, config.databasePoolSize);
    const batches = new Batches(database, service);
    const batchRunner = new BatchRunner(database, runner, starts, config.databasePoolSize);
    notifier.subscribe((own) => outboxSignal.notify(own));
    const executions = new Executions(database, notifier, executionPayloads);
    const lineages = new Lineages(database, executions, visibility, eventConsequences);
    const executionStreams = new ExecutionStreams(database, notifier, streamWriter);
    return {
      service,
      runner,
      endpoints: [
        ...commandEndpoints(service, dryRuns, platformCommands),
        ...exampleEndpoints(orm, database, changeSets),
        ...batchEndpoints(batches, platformCommands, limits),
        ...lineageEndpoints(lineages),
        ...executionEndpoints(service, executions, lineages, platformCommands, streams, executionStreams, batches),
        ...recordCommandEndpoints(records),
        ...recordHistoryEndpoints(database),
      ],
      activities: commandActivities(runner, groups, batchRunner),
      jobs: [new StuckExecutionSweeper(database, starter, temporal, presence, logger)],
      retention: [
        new ExecutionRetention(orm, { payloads: executionPayloads, rows: changeLog }),
        new ChangeRetention(orm, changeLog),
      ],
      eventConsumers: [new TotalsOfEvents(snapshots, totals)],
      open: async () => void (await Promise.all([notifier.listen(), presence.start()])),
      close: () => service.close().finally(() => presence.stop()),
    };
  },
};

export type CommandsFeature = ReturnType<typeof commands.create>;

const OF_RECORDS = [RECORD_RESTORE, RECORD_REVERT, RECORD_RELATE, RECORD_UNRELATE];

function withRecordCommands(others: PlatformCommands, commands: readonly PlatformCommand[]): PlatformCommands {
  return new Map([...others, ...commands.map((command) => [command.code, command] as const)]);
}
