/** What the types of every application are made of. */
export const HELPER_TYPES = `\
declare const brand: unique symbol;
type Branded<Name> = string & { readonly [brand]: Name };

/** The pid of a record. */
export type Pid<Model extends string = string> = Branded<['pid', Model]>;
export type UserPid = Branded<'user pid'>;
export type FilePid = Branded<'file pid'>;
/** Digits: a number would lose some. */
export type Decimal = Branded<'decimal'>;
export type DecimalInput = Decimal | \`\${number}\`;
export type BigInteger = Branded<'bigint'>;
export type BigIntegerInput = BigInteger | \`\${bigint}\`;
/** ISO 8601 with a zone: 2026-01-31T09:30:00Z. */
export type DateTime = string;
/** 2026-01-31. */
export type CalendarDate = string;
export type NoFields = Record<string, never>;

/** What every record has; no payload may write it. */
export interface SystemFields<Model extends string> {
  id: BigInteger;
  pid: Pid<Model>;
  tenant_id: BigInteger;
  created_at: DateTime;
  created_by: UserPid;
  updated_at: DateTime;
  updated_by: UserPid;
  version: number;
}
export type SystemField = keyof SystemFields<string>;

export type ModelCode = keyof Models;
export type PageKey = keyof Pages;
export type CommandCode = keyof Commands;
export type EventType = keyof Events;
export type RecordOf<M extends ModelCode> = Models[M]['record'];

type ToOne<M extends ModelCode> = keyof Models[M]['relations'] & string;
type ToPerson<M extends ModelCode> = Models[M]['people'] & string;
type ToMany<M extends ModelCode> = keyof Models[M]['referrers'] & string;
type One<M extends ModelCode, R extends ToOne<M>> = Extract<Models[M]['relations'][R], ModelCode>;
type Many<M extends ModelCode, R extends ToMany<M>> = Extract<Models[M]['referrers'][R], ModelCode>;
/** Who is in a field of type \`user\`. */
export interface Person {
  pid: UserPid;
  username: string;
}
/** Paths that \`expand\` takes. */
export type ExpandPath<M extends ModelCode> =
  | ToOne<M>
  | ToMany<M>
  | ToPerson<M>
  | { [R in ToOne<M>]: \`\${R}.\${ToOne<One<M, R>> | ToMany<One<M, R>> | ToPerson<One<M, R>>}\` }[ToOne<M>];
type Related<M extends ModelCode, P> = P extends ToOne<M>
  ? RecordOf<One<M, P>> | null
  : P extends ToPerson<M>
  ? Person | null
  : P extends \`\${infer R extends ToOne<M>}.\${infer Rest}\`
    ? Related<One<M, R>, Rest> | null
    : P extends ToMany<M>
      ? { records: RecordOf<Many<M, P>>[]; total: number }
      : never;
/** A record that was read with \`expand\`. */
export type Expanded<M extends ModelCode, P extends ExpandPath<M>> = RecordOf<M> & {
  expanded: { [K in P]: Related<M, K> };
};

/** A record in which a command shows fields that its caller may not read otherwise. */
export type Revealing<M extends ModelCode, F extends keyof RecordOf<M>> = RecordOf<M> &
  Required<Pick<RecordOf<M>, F>>;

/** A related record in a payload, and the version that it has to have. */
export interface RelatedTarget<Model extends string> {
  pid: Pid<Model>;
  expectedVersion?: number;
}

/** The body of a delivery, without what the owner of the subscription may not read. */
export type CommandEvent<C extends CommandCode, Result = Commands[C]['result']> = {
  commandCode: C;
  modelCode: Commands[C]['model'];
  payload: Partial<Commands[C]['payload']>;
  result: Result;
};
/** The same of an event that a step of a command emits. */
export type StepEvent<C extends CommandCode, Keys extends string> = {
  commandCode: C;
  modelCode: Commands[C]['model'];
  payload: Partial<Record<Keys, unknown>>;
  result: NoFields;
};
/** The same of \`record.created\`, \`record.updated\` and \`record.deleted\`. */
export type RecordEvent = {
  [M in ModelCode]: {
    commandCode: string;
    modelCode: M;
    payload: Partial<RecordOf<M>>;
    result: Partial<RecordOf<M>> & { pid: Pid<M> };
  };
}[ModelCode];

/** All of this for \`createClient<KeelsonApp>()\` of @keelson/client. */
export interface KeelsonApp {
  models: Models;
  pages: Pages;
  commands: Commands;
  events: Events;
  expansions: { [M in ModelCode]: { [P in ExpandPath<M>]: Related<M, P> } };
  dataSources: DataSources;
  automations: Automations;
  filePid: FilePid;
}

// Without this all of the above would be exported.
export {};
`;
