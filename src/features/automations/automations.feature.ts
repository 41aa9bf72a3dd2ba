import { RepeatedStarts } from '../../foundation/jobs/repeated-starts.ts';
import { AUTOMATIONS_TEXTS } from './automations.texts.ts';
import { automationActivities } from '../../../activities/automations.activities.ts';
import {
  AutomationRunEntity,
  AutomationStepEntity,
  AutomationScheduleEntity,
} from './runs/rows/automation-run.entity.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { type Platform } from '../../platform/platform.ts';
import { type RecordsFeature } from '../records/records.feature.ts';
import { type CommandsFeature } from '../commands/commands.feature.ts';
import { type AssistantFeature } from '../assistant/assistant.feature.ts';
import { Definitions } from './runs/values/definitions.ts';
import { RunDataCache } from './runs/values/run-data-cache.ts';
import { RunStream } from './runs/show/run-stream.ts';
import { markOpenRuns } from './runs/rows/run-store.ts';
import { WaitingApprovals } from './runs/approvals/waiting-approvals.ts';
import { tracedRuns } from './runs/show/traced-runs.ts';
import { RunVisibility } from './runs/show/run-visibility.ts';
import { RunSignaller } from './runs/run-signaller.ts';
import { RunAdvancer } from './runs/advance/run-advancer.ts';
import { ScheduledRuns } from './triggers/scheduled-runs.ts';
import { AwaitedEventEntity } from './triggers/awaited-event.entity.ts';
import { AwaitedEvents } from './triggers/awaited-events.ts';
import { StepRunner } from './runs/advance/step-runner.ts';
import { automationEndpoints } from './automations.endpoints.ts';
import { AutomationsService } from './automations.service.ts';
import { OrphanedRunReconciler } from './runs/orphaned-run-reconciler.ts';
import { ScheduleReconciler } from './triggers/schedule-reconciler.ts';
import { RunRetention } from './runs/run-retention.ts';
import { AutomationTriggers } from './triggers/automation-triggers.ts';
import { AUTOMATION } from './definition/automation-type.ts';
import { memberFinder } from '../../platform/auth/accounts/member.ts';
import { type EnvironmentsFeature } from '../environments/environments.feature.ts';

/** Runs of steps that wait, ask and call. Spec: "Other events and streams", automation run status. */
export const automations = {
  texts: [AUTOMATIONS_TEXTS],
  entities: [AutomationRunEntity, AutomationStepEntity, AutomationScheduleEntity, AwaitedEventEntity],
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
    const advancer = new RunAdvancer(
      database,
      definitions,
      data,
      snapshots,
      runStream,
      memberFinder(orm),
      new RepeatedStarts(store, 'advance', true),
      metrics,
      logger,
    );
    const scheduled = new ScheduledRuns(orm, database, snapshots, signaller);
    const awaited = new AwaitedEvents(database, definitions, snapshots, records.visibility, signaller, logger);
    const shown = new RunVisibility(database, definitions, records.visibility);
    const steps = new StepRunner({
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
    });
    const schedules = new ScheduleReconciler(orm, store, snapshots, temporal, logger);
    return {
      endpoints: automationEndpoints(
        new AutomationsService(database, definitions, signaller, shown),
        streams,
        runStream,
        new WaitingApprovals(database, definitions, records.visibility),
      ),
      activities: automationActivities(advancer, steps, scheduled),
      jobs: [signaller, awaited, new OrphanedRunReconciler(database, temporal, advancer, signaller, logger), schedules],
      restore: () => Promise.all([schedules.restore(), markOpenRuns(database)]),
      retention: [new RunRetention(orm, streamWriter, config.retentionDays.automationRuns)],
      eventConsumers: [new AutomationTriggers(snapshots, records.visibility, awaited, signaller, logger)],
    };
  },
};
