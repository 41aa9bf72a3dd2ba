import { commandActivities } from '../../../activities/commands.activities.ts';
import { ExecutionEntity } from './execution.entity.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { ChangeRetention } from '../../platform/events/change-retention.ts';
import { purgeCommand } from './lifecycle/purge-command.ts';
import { RECORD_RESTORE } from './lifecycle/restore-command.ts';
import { recordHistoryEndpoints } from './lifecycle/record-history.endpoints.ts';
import { RepeatedStarts } from '../../foundation/jobs/repeated-starts.ts';
import { type Platform } from '../../platform/platform.ts';
import { type RecordsFeature } from '../records/records.feature.ts';
import { type PlatformCommands } from './platform-command.ts';
import { ExecutionNotifier } from './execution-notifier.ts';
import { CommandRunner } from './command-runner.ts';
import { CommandStarter } from './command-starter.ts';
import { CommandGroupRunner } from './groups/command-group-runner.ts';
import { CommandLane } from './groups/command-lane.ts';
import { CommandsService } from './commands.service.ts';
import { DryRuns } from './dry-run.ts';
import { Executions } from './executions.ts';
import { executionEndpoints } from './executions.endpoints.ts';
import { commandEndpoints } from './commands.endpoints.ts';
import { recordCommandEndpoints } from './record-commands.endpoints.ts';
import { ExecutionRetention } from './execution-retention.ts';
import { TotalsOfEvents } from './totals-of-events.ts';
import { ExecutionStreams } from './execution-stream.ts';
import { PurgePositionEntity } from './purge-position.entity.ts';
import { StuckExecutionSweeper } from './stuck-execution-sweeper.ts';
import { COMMAND } from './command-type.ts';
import { COMMANDS_TEXTS } from './commands.texts.ts';

/** Accepting, executing and answering commands. Spec: "Command rules". */
export const commands = {
  texts: [COMMANDS_TEXTS],
  entities: [ExecutionEntity, PurgePositionEntity],
  resourceTypes: () => [COMMAND],

  create(
    foundation: Foundation,
    platform: Platform,
    { totals, service: records, visibility }: RecordsFeature,
    designerCommands: PlatformCommands,
  ) {
    const { config, logger, metrics, orm, database, store, temporal } = foundation;
    const { changeLog, executionPayloads } = config.retentionDays;
    const { snapshots, streams, streamWriter, outboxSignal, eventErasers, eventAudiences } = platform;
    const recordCommands = [RECORD_RESTORE, purgeCommand(snapshots, eventErasers, executionPayloads)];
    const platformCommands: PlatformCommands = new Map([
      ...designerCommands,
      ...recordCommands.map((command) => [command.code, command] as const),
    ]);
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
    const lane = new CommandLane(starter, notifier, config.commandGroupMax, metrics);
    const service = new CommandsService(database, runner, starter, lane, notifier, config, logger);
    const dryRuns = new DryRuns(database, visibility, eventAudiences);
    const groups = new CommandGroupRunner(database, runner, starter, starts, config.databasePoolSize);
    notifier.subscribe((own) => outboxSignal.notify(own));
    const executions = new Executions(database, notifier, executionPayloads);
    const executionStreams = new ExecutionStreams(database, notifier, streamWriter);
    return {
      service,
      runner,
      endpoints: [
        ...commandEndpoints(service, dryRuns, platformCommands),
        ...executionEndpoints(service, executions, platformCommands, streams, executionStreams),
        ...recordCommandEndpoints(records),
        ...recordHistoryEndpoints(database),
      ],
      activities: commandActivities(runner, groups),
      jobs: [new StuckExecutionSweeper(database, starter, temporal, logger)],
      retention: [
        new ExecutionRetention(orm, { payloads: executionPayloads, rows: changeLog }),
        new ChangeRetention(orm, changeLog),
      ],
      eventConsumers: [new TotalsOfEvents(snapshots, totals)],
      open: () => notifier.listen(),
      close: () => service.close(),
    };
  },
};

export type CommandsFeature = ReturnType<typeof commands.create>;
