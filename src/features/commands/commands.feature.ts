import pLimit from 'p-limit';
import { commandActivities } from '../../../activities/commands.activities.ts';
import { ExecutionEntity } from './executions/execution.entity.ts';
import type { Foundation } from '../../foundation/foundation.ts';
import { changeRetention } from '../../platform/events/changes/change-log.ts';
import { purgeCommand } from './record-commands/purge-command.ts';
import { RECORD_RELATE, RECORD_UNRELATE } from './record-commands/relate-commands.ts';
import { RECORD_RESTORE } from './record-commands/restore-command.ts';
import { RECORD_REVERT } from './record-commands/revert-command.ts';
import { RecordWatches } from './record-commands/record-watches.ts';
import { RecordStreams } from './record-commands/record-streams.ts';
import { recordCommandEndpoints, recordHistoryEndpoints, recordStreamEndpoints } from './record.endpoints.ts';
import { RepeatedStarts } from '../../foundation/jobs/repeated-starts.ts';
import type { Platform } from '../../platform/platform.ts';
import type { RecordsFeature } from '../records/records.feature.ts';
import type { PlatformCommand, PlatformCommands } from './request/platform-command.ts';
import { ExecutionNotifier } from './executions/execution-notifier.ts';
import { CommandRunner } from './running/command-runner.ts';
import { CommandStarter } from './starting/command-starter.ts';
import { BegunCommands } from './running/begun-commands.ts';
import { CommandWorker } from './running/command-worker.ts';
import { CommandLane } from './starting/command-lane.ts';
import { CommandsService } from './intake/commands.service.ts';
import { batchEndpoints } from './batches.endpoints.ts';
import { BatchRunner } from './running/batch-runner.ts';
import { Batches } from './intake/batches.ts';
import { BatchDryRuns } from './intake/batch-dry-runs.ts';
import { DryRuns } from './performing/dry-run.ts';
import { Executions } from './executions/executions.ts';
import { executionEndpoints } from './executions.endpoints.ts';
import { commandEndpoints } from './commands.endpoints.ts';
import { commandOptionEndpoints } from './command-options.endpoints.ts';
import { EMPTIED_EXECUTIONS, executionRetention } from './executions/execution-retention.ts';
import { TotalsOfEvents } from './running/totals-of-events.ts';
import { ExecutionStreams } from './executions/execution-stream.ts';
import { NodePresence } from './executions/node-presence.ts';
import { PurgePositionEntity } from './executions/purge-position.entity.ts';
import { StuckExecutionSweeper } from './starting/stuck-execution-sweeper.ts';
import { LONG_POOL_SHARE, POOL_SHARE } from './commands.limits.ts';
import { COMMANDS_TEXTS } from './commands.texts.ts';

/** Accepting, executing and answering commands. Spec: "Command rules". */
export const commands = {
  texts: [COMMANDS_TEXTS],
  entities: [ExecutionEntity, PurgePositionEntity],
  emptied: [EMPTIED_EXECUTIONS],

  create(
    foundation: Foundation,
    platform: Platform,
    { totals, service: records, visibility, payloadOptions }: RecordsFeature,
    designerCommands: PlatformCommands,
  ) {
    const { config, logger, metrics, orm, database, store, temporal } = foundation;
    const { changeLog, executionPayloads } = config.retentionDays;
    const { snapshots, limits, streams, streamWriter, outboxSignal } = platform;
    const { eventErasers, eventAudiences } = platform;
    const purge = purgeCommand(snapshots, eventErasers, executionPayloads);
    const platformCommands = withRecordCommands(designerCommands, [...OF_RECORDS, purge]);
    const notifier = new ExecutionNotifier(store, logger);
    const starts = new RepeatedStarts(store, 'command');
    const runner = new CommandRunner({
      database,
      orm,
      platformCommands,
      snapshots,
      totals,
      notifier,
      starts,
      metrics,
      logger,
    });
    const starter = new CommandStarter(temporal);
    const presence = new NodePresence(store);
    const { connections, connectionsOfLong } = sharesOf(config.databasePoolSize);
    const begun = config.roles.has('worker')
      ? new BegunCommands({ database, runner, starter, connections, config, metrics, logger })
      : null;
    const canRepeat = (error: unknown) => temporal.wasOnlySlow(error);
    const dispatcher = begun ?? new CommandLane({ starter, notifier, config, canRepeat, metrics });
    const service = new CommandsService({
      database,
      runner,
      dispatcher,
      notifier,
      nodePid: presence.nodePid,
      config,
      logger,
    });
    const dryRuns = new DryRuns(database, visibility, eventAudiences);
    const worker = new CommandWorker({ database, runner, starter, starts, begun, connections, connectionsOfLong });
    const batches = new Batches(database, service);
    const batchRunner = new BatchRunner(database, runner, starts, config.databasePoolSize);
    notifier.subscribe((own) => outboxSignal.notify(own));
    const executions = new Executions(database, notifier, executionPayloads);
    const watches = new RecordWatches({ database, snapshots, totals, writer: streamWriter, logger });
    const executionStreams = new ExecutionStreams(database, notifier, streamWriter);
    return {
      service,
      runner,
      batches,
      executions,
      endpoints: [
        ...commandEndpoints(service, dryRuns, platformCommands),
        ...commandOptionEndpoints(payloadOptions),
        ...batchEndpoints(batches, new BatchDryRuns(database, visibility), platformCommands, limits),
        ...executionEndpoints(service, executions, platformCommands, streams, executionStreams),
        ...recordCommandEndpoints(records),
        ...recordHistoryEndpoints(database),
        ...recordStreamEndpoints(streams, new RecordStreams(database, watches)),
      ],
      activities: commandActivities(worker, batchRunner),
      jobs: [new StuckExecutionSweeper(database, starter, temporal, presence, logger)],
      retention: [
        executionRetention(orm, { payloads: executionPayloads, rows: changeLog }),
        changeRetention(orm, changeLog),
      ],
      eventConsumers: [new TotalsOfEvents(snapshots, totals)],
      open: async () => void (await Promise.all([notifier.listen(), presence.start()])),
      settle: () => service.close(),
      close: () => service.close().finally(() => presence.stop()),
    };
  },
};

/** The connections that commands may use at once. */
function sharesOf(poolSize: number) {
  const share = (part: number) => pLimit(Math.max(1, Math.floor(poolSize * part)));
  return { connections: share(POOL_SHARE), connectionsOfLong: share(LONG_POOL_SHARE) };
}

export type CommandsFeature = ReturnType<typeof commands.create>;

const OF_RECORDS = [RECORD_RESTORE, RECORD_REVERT, RECORD_RELATE, RECORD_UNRELATE];

function withRecordCommands(others: PlatformCommands, commands: readonly PlatformCommand[]): PlatformCommands {
  return new Map([...others, ...commands.map((command) => [command.code, command] as const)]);
}
