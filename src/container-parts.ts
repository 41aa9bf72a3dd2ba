import type { ReplyMaker } from './assistant/reply-maker.ts';
import type { RunAdvancer } from './automations/run-advancer.ts';
import type { RunWaker } from './automations/run-waker.ts';
import type { ScheduleKeeper } from './automations/schedule-keeper.ts';
import type { ScheduledRuns } from './automations/scheduled-runs.ts';
import type { StepRunner } from './automations/step-runner.ts';
import type { CommandRunner } from './commands/command-runner.ts';
import type { Sweeper } from './commands/sweeper.ts';
import type { Config } from './config/config.ts';
import type { PlatformOrm } from './database/orm.ts';
import type { Database } from './database/pool.ts';
import type { EventRelay } from './events/event-relay.ts';
import type { ChannelBindings } from './im/channel-bindings.service.ts';
import type { Logger } from './logging/logger.ts';
import type { ResourcesService } from './metadata/resources.service.ts';
import type { SnapshotCache } from './metadata/snapshot-cache.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { PromotionWorker } from './promotions/promotion-worker.ts';
import type { SoakWatch } from './promotions/soak-watch.ts';
import type { SharedStore } from './redis/redis.ts';
import type { StreamWriter } from './streams/stream-writer.ts';
import type { Streams } from './streams/streams.ts';
import type { TemporalGateway } from './temporal/temporal-gateway.ts';
import type { Deliverer } from './webhooks/deliverer.ts';
import type { DeliveryControl } from './webhooks/delivery-control.ts';
import type { Dispatcher } from './webhooks/dispatcher.ts';
import type { LogRetention } from './webhooks/log-retention.ts';
import type { Express } from 'express';

/** Everything the program is made of, wired up once. */
export interface Container {
  readonly config: Config;
  readonly logger: Logger;
  readonly orm: PlatformOrm;
  readonly database: Database;
  readonly store: SharedStore;
  readonly temporal: TemporalGateway;
  readonly snapshots: SnapshotCache;
  readonly resources: ResourcesService;
  readonly commandRunner: CommandRunner;
  readonly promotionWorker: PromotionWorker;
  readonly soakWatch: SoakWatch;
  readonly sweeper: Sweeper;
  readonly relay: EventRelay;
  readonly dispatcher: Dispatcher;
  readonly deliverer: Deliverer;
  readonly deliveryControl: DeliveryControl;
  readonly logRetention: LogRetention;
  readonly runAdvancer: RunAdvancer;
  readonly stepRunner: StepRunner;
  readonly scheduledRuns: ScheduledRuns;
  readonly runWaker: RunWaker;
  readonly scheduleKeeper: ScheduleKeeper;
  readonly replyMaker: ReplyMaker;
  readonly bindings: ChannelBindings;
  readonly metrics: Metrics;
  readonly streamWriter: StreamWriter;
  readonly streams: Streams;
  readonly app: Express;
  /** `/actuator` on a port of its own; null: `app` has it. */
  readonly managementApp: Express | null;
  readonly drain: { draining: boolean };
  /** Connects the shared store, listens for wake-up calls and warms the metadata cache. */
  open(): Promise<void>;
  close(): Promise<void>;
}
