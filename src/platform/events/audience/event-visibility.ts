import type { Transaction } from '../../../foundation/database/pool.ts';
import type { Actor } from '../../auth/requests/actor.ts';
import type { EventOrigins } from '../../metadata/resources/resource-type.ts';
import { valuesHiddenFrom } from '../../metadata/snapshot/visible-value.ts';
import type { Model } from '../../metadata/models/model.ts';
import { ADMIN_METADATA, permissionCode } from '../../metadata/permissions/permission-codes.ts';
import type { Snapshot } from '../../metadata/snapshot/snapshot.ts';
import { CHANNEL_REPLY, channelOfReply } from './channel-replies.ts';
import { hidesAny, mayHoldFormerCodes, originsOfRecord, presentBodyOf, visibleBodyOf } from './event-origins.ts';
import type { EventBody } from '../outbox/outbox.ts';
import { isRecordEvent } from '../event-pattern.ts';

/** What decides who may read an event. */
export interface ReadableEvent {
  readonly eventType: string;
  readonly commandCode: string;
  readonly modelCode: string;
  readonly recordPid: string | null;
  readonly body: string;
  readonly origins?: EventOrigins | null;
}

/** Runs work in a transaction: one that is open, or one of its own. */
export type Transact = <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;

/** The work is part of an open transaction. */
export function within(transaction: Transaction): Transact {
  return (work) => work(transaction);
}

/** Asks whether the reader's row rules show a record, deleted or not. */
export interface RecordQuestion {
  readonly model: Model;
  readonly reader: Actor;
  readonly recordPid: string;
}

/** Row rules as far as events need them. Implemented by the owner of the records' tables. */
export interface RecordVisibility {
  /** Whether a row rule limits which records of the model the reader sees. */
  isRestricted(model: Model, reader: Actor): boolean;
  /** Answers in their order, with one statement for each tenant. */
  areVisible(transaction: Transaction, questions: readonly RecordQuestion[]): Promise<boolean[]>;
}

/** Asks what a reader may see of an event. */
export interface EventQuestion {
  readonly event: ReadableEvent;
  readonly reader: Actor;
}

export interface VisibleBody {
  /** The reduced text; null where the event's own text is visible as it is. */
  readonly text: string | null;
  body(): EventBody;
}

/**
 * The one rule about who may see an event, for subscriptions, triggers and waiting steps. The reader needs
 * `record:read` on every model the event has records of, and a row rule must not hide its record. What comes
 * from fields that the reader may not read is cut.
 */
export class EventVisibility {
  readonly #records: RecordVisibility;

  constructor(records: RecordVisibility) {
    this.#records = records;
  }

  /** Whether a reader sees all records of these models, by permission and by row rules. */
  seesRecordsOf(models: Iterable<string>, reader: Actor): boolean {
    return [...models].every((code) => {
      const model = reader.metadata.models.get(code);
      const isReadable = reader.permissions.has(permissionCode.recordRead(code));
      return isReadable && (!model || !this.#records.isRestricted(model, reader));
    });
  }

  /** What a reader may see of an event; null when that is nothing. */
  async visibleBody(transact: Transact, event: ReadableEvent, reader: Actor): Promise<VisibleBody | null> {
    const [body = null] = await this.visibleBodies(transact, [{ event, reader }]);
    return body;
  }

  /**
   * As `visibleBody`, for many, in one round trip.
   * @param transact is called where a row rule has to be asked
   */
  async visibleBodies(transact: Transact, questions: readonly EventQuestion[]): Promise<(VisibleBody | null)[]> {
    const rules = questions.map((question) => this.#rulesFor(question));
    const asked = rules.flatMap((each) => each ?? []);
    const answers = asked.length === 0 ? [] : await transact((open) => this.#records.areVisible(open, asked));
    const hidden = new Set(asked.filter((_, index) => !answers[index]));
    return questions.map((question, index) => {
      const own = rules[index];
      return own && !own.some((rule) => hidden.has(rule)) ? bodyFor(question) : null;
    });
  }

  /** The row rules that decide whether a reader may see an event; null where they may not see it at all. */
  #rulesFor({ event, reader }: EventQuestion): RecordQuestion[] | null {
    // Changes of the configuration are visible to designers only.
    if (event.eventType.startsWith('meta:') && !reader.permissions.has(ADMIN_METADATA)) return null;
    // Replies say what the roles of their channel may read.
    const channel = event.eventType === CHANNEL_REPLY ? channelOfReply(event.commandCode) : null;
    if (channel !== null && !reader.permissions.has(permissionCode.imRead(channel))) return null;
    const rules: RecordQuestion[] = [];
    for (const code of modelsOfEvent(event, reader.metadata)) {
      if (!reader.permissions.has(permissionCode.recordRead(code))) return null;
      const model = reader.metadata.models.get(code);
      if (!model || !this.#records.isRestricted(model, reader)) continue;
      // Row rules can be checked for the event's own record only; the other records of a command are not
      // named by it.
      if (code !== event.modelCode || event.recordPid === null) return null;
      rules.push({ model, reader, recordPid: event.recordPid });
    }
    return rules;
  }
}

function bodyFor({ event, reader }: EventQuestion): VisibleBody {
  const { metadata } = reader;
  const whole = (): EventBody => JSON.parse(event.body) as EventBody;
  const origins = originsOfEvent(event, metadata);
  const isHidden = valuesHiddenFrom(reader);
  const isCut = hidesAny(origins, isHidden);
  if (!isCut && !mayHoldFormerCodes(origins, metadata)) return { text: null, body: whole };
  const written = whole();
  const present = presentBodyOf(written, origins, metadata);
  const visible = isCut ? visibleBodyOf(present, origins, isHidden) : present;
  return { text: visible === written ? null : JSON.stringify(visible), body: () => visible };
}

/** The fields that an event's body comes from. Of one that does not say so, the configuration does. */
export function originsOfEvent(
  { eventType, commandCode, modelCode, origins }: Omit<ReadableEvent, 'body' | 'recordPid'>,
  metadata: Snapshot,
): EventOrigins {
  if (origins) return origins;
  const ofCommand = isRecordEvent(eventType) ? null : metadata.eventOriginsOf(commandCode);
  return ofCommand ?? (modelCode === '' ? {} : originsOfRecord(modelCode));
}

function modelsOfEvent(event: ReadableEvent, metadata: Snapshot): ReadonlySet<string> {
  const models = new Set(isRecordEvent(event.eventType) ? [] : metadata.modelsWrittenBy(event.commandCode));
  if (event.modelCode !== '') models.add(event.modelCode);
  return models;
}
