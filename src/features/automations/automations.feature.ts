import { ScheduleReconciler, fireSchedule } from './triggers/schedule-reconciler.ts';
import { RepeatedStarts } from '../../foundation/jobs/repeated-starts.ts';
import { AUTOMATIONS_TEXTS } from './automations.texts.ts';
import { automationActivities } from '../../../activities/automations.activities.ts';
import {
  AutomationRunEntity,
  AutomationStepEntity,
  AutomationScheduleEntity,
} from './runs/rows/automation-run.entity.ts';
import { rowsOfEnvironment } from '../../foundation/database/emptied-data.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { type Platform } from '../../platform/platform.ts';
import { type RecordsFeature } from '../records/records.feature.ts';
import { type CommandsFeature } from '../commands/commands.feature.ts';
import { type AssistantFeature } from '../assistant/assistant.feature.ts';
import { Definitions } from './runs/values/definitions.ts';
import { RunDataCache } from './runs/values/run-data-cache.ts';
import { RunStream } from './runs/show/run-stream.ts';
import { markOpenRuns, tracedRuns } from './runs/rows/run-store.ts';
import { RunVisibility } from './runs/show/run-visibility.ts';
import { RunSignaller } from './runs/run-signaller.ts';
import { RunAdvancer } from './runs/advance/run-advancer.ts';
import { AwaitedEventEntity } from './triggers/awaited-event.entity.ts';
import { AwaitedEvents } from './triggers/awaited-events.ts';
import { runStep, type RunStepParts } from './runs/advance/run-step.ts';
import { automationOptionEndpoints } from './automation-options.endpoints.ts';
import { automationEndpoints } from './automations.endpoints.ts';
import { AutomationsService } from './automations.service.ts';
import { OrphanedRunReconciler } from './runs/orphaned-run-reconciler.ts';
import { runRetention } from './runs/run-retention.ts';
import { automationTriggers } from './triggers/automation-triggers.ts';
import { AUTOMATION } from './definition/automation-type.ts';
import { memberFinder } from '../../platform/auth/accounts/member.ts';
import { type EnvironmentsFeature } from '../environments/environments.feature.ts';

/** Runs of steps that wait, ask and call. Spec: "Other events and streams", automation run status. */
export const automations = {
  texts: [AUTOMATIONS_TEXTS],
  entities: [AutomationRunEntity, AutomationStepEntity, AutomationScheduleEntity, AwaitedEventEntity],
  emptied: [
    rowsOfEnvironment('runs', 'platform.automation_run'),
    rowsOfEnvironment('awaitedEvents', 'platform.awaited_event', { isLeftToHolders: true }),
  ],
  resourceTypes: () => [AUTOMATION],

  create(
    foundation: Foundation,
    platform: Platform,
    records: RecordsFeature,
    commands: CommandsFeature,
    assistant: AssistantFeature,
    environments: EnvironmentsFeature,
  ) {
    const { config, logger, metrics, orm, database, store, temporal, outbound } = foundation;
    const { snapshots, streams, streamWriter, outboxSignal } = platform;
    platform.eventConsequences.runs = tracedRuns(database);
    const definitions = new Definitions(orm);
    const data = new RunDataCache();
    const runStream = new RunStream(database, definitions, streamWriter);
    const signaller = new RunSignaller(database, temporal, logger);
    const advancer = new RunAdvancer({
      database,
      definitions,
      data,
      snapshots,
      stream: runStream,
      findMember: memberFinder(orm),
      starts: new RepeatedStarts(store, 'advance', true),
      metrics,
      logger,
    });
    const awaited = new AwaitedEvents(database, definitions, snapshots, records.visibility, signaller, logger);
    const shown = new RunVisibility(database, definitions, records.visibility);
    const stepParts: RunStepParts = {
      database,
      commands: commands.service,
      records: records.service,
      http: outbound,
      secrets: environments.secrets,
      prompter: assistant.prompter,
      logger,
      definitions,
      data,
      snapshots,
      starts: new RepeatedStarts(store, 'step'),
      onEvent: () => outboxSignal.notify(true),
    };
    const schedules = new ScheduleReconciler(orm, store, snapshots, temporal, logger);
    return {
      endpoints: [
        ...automationOptionEndpoints(records.payloadOptions),
        ...automationEndpoints(new AutomationsService(database, definitions, signaller, shown), streams, runStream, {
          database,
          definitions,
          visibility: records.visibility,
        }),
      ],
      activities: automationActivities({
        advanceRun: (runPid) => advancer.advance(runPid),
        runStep: (runPid, call, isRepeated) => runStep(stepParts, runPid, call, isRepeated),
        fireSchedule: (environment, code, fireId) =>
          fireSchedule(
            { orm, database, snapshots, signaller, taskQueue: temporal.taskQueue },
            environment,
            code,
            fireId,
          ),
      }),
      jobs: [signaller, awaited, new OrphanedRunReconciler(database, temporal, advancer, signaller, logger), schedules],
      restore: () => Promise.all([schedules.restore(), markOpenRuns(database)]),
      retention: [runRetention(orm, streamWriter, config.retentionDays.automationRuns)],
      eventConsumers: [automationTriggers({ snapshots, visibility: records.visibility, awaited, signaller, logger })],
    };
  },
};
