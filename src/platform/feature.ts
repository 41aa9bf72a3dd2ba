import type { EntitySchema } from '@mikro-orm/core';
import type { Activities } from '../../workflows/contracts.ts';
import type { EmptiedData } from '../foundation/database/emptied-data.ts';
import type { Database } from '../foundation/database/pool.ts';
import type { TextTable } from '../foundation/i18n/text-table.ts';
import type { Retention } from '../foundation/jobs/retention.ts';
import type { OutboundHttp } from '../foundation/outbound/outbound-http.ts';
import type { SealedStore } from '../foundation/secrets/sealed-store.ts';
import type { Restore } from '../foundation/temporal/temporal-upkeep.ts';
import type { FindOrphaned } from './auth/orphaned.ts';
import type { Endpoint } from './auth/requests/endpoint.ts';
import type { EventConsumer } from './events/outbox/event-relay.ts';
import type { HealthIndicator } from './health/health-checks.ts';
import type { DroppedFields, FollowRenames } from './metadata/models/renamed-fields.ts';
import type { ResourceType } from './metadata/resources/resource-type.ts';

/** Work that every worker does in the background. */
export interface Job {
  start(): void;
  stop(): void | Promise<void>;
}

/** What a feature declares before anything is constructed. */
export interface FeatureDeclaration {
  /** Its tables. */
  readonly entities?: readonly EntitySchema[];
  /** Makes its rows that name fields follow their renames. */
  readonly followRenames?: FollowRenames;
  /** What it stores of fields whose columns are dropped. */
  readonly droppedFields?: DroppedFields;
  /** What it has that goes with the records of an environment. */
  readonly emptied?: readonly EmptiedData[];
  /** Its messages in all languages. */
  readonly texts?: readonly TextTable[];
  /** Its types of DSL resources. */
  readonly resourceTypes?: (parts: CheckingParts) => readonly ResourceType[];
}

/** What checks of resources ask. Both are null for those that check files offline. */
export interface CheckingParts {
  readonly database: Database | null;
  readonly outbound: OutboundHttp | null;
  /** What follows renames of fields when models are published. */
  readonly followers?: readonly FollowRenames[];
}

/** What a feature gives to the program. */
export interface Feature {
  /** In the order in which they are mounted. */
  readonly endpoints?: readonly Endpoint[];
  /** For the management port, where there is one. */
  readonly managementEndpoints?: readonly Endpoint[];
  readonly activities?: Partial<Activities>;
  readonly jobs?: readonly Job[];
  readonly retention?: readonly Retention[];
  /** Its tables with sealed texts. */
  readonly sealed?: readonly SealedStore[];
  /** Finds what a person who leaves has given rights to. */
  readonly findOrphaned?: FindOrphaned;
  readonly eventConsumers?: readonly EventConsumer[];
  /** Starts again what it had in Temporal, after Temporal has lost its data. Idempotent. */
  readonly restore?: Restore;
  readonly healthIndicators?: readonly HealthIndicator[];
  /** Runs once, after Redis is connected and before anything is served. */
  open?(): Promise<void>;
  /** Starts what still has to be started in Temporal, before the worker stops. */
  settle?(): Promise<void>;
  /** Finishes what is under way, before the connections close. */
  close?(): void | Promise<void>;
}
