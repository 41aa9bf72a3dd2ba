/** The types of an application, as `keelson types` prints them: `createClient<KeelsonApp>(...)`. */
export interface AppTypes {
  readonly models: object;
  readonly pages: object;
  readonly commands: object;
  readonly events: object;
  /** By model: what `expand` answers at each path. */
  readonly expansions: object;
}

/** An application of which nothing is known. */
export interface AnyApp extends AppTypes {
  readonly models: Readonly<Record<string, AnyModel>>;
  readonly pages: Readonly<Record<string, { readonly model: string }>>;
  readonly commands: Readonly<Record<string, AnyCommand>>;
  readonly events: Readonly<Record<string, unknown>>;
  readonly expansions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface AnyModel {
  readonly record: Readonly<Record<string, unknown>> & { readonly pid: string; readonly version: number };
  readonly filterable: string;
  readonly sortable: string;
}

export interface AnyCommand {
  readonly kind: string;
  readonly target: unknown;
  readonly payload: unknown;
  readonly result: unknown;
}

export type PageKey<A extends AppTypes> = keyof A['pages'] & string;
export type CommandCode<A extends AppTypes> = keyof A['commands'] & string;

type ModelOf<A extends AppTypes, P extends PageKey<A>> = A['pages'][P] extends { readonly model: infer M } ? M : never;
type Of<T, Key extends PropertyKey> = Key extends keyof T ? T[Key] : never;
type PartOf<A extends AppTypes, P extends PageKey<A>, Part extends string> = Of<
  Of<A['models'], ModelOf<A, P> & PropertyKey>,
  Part
>;
type ExpansionsOf<A extends AppTypes, P extends PageKey<A>> = Of<A['expansions'], ModelOf<A, P> & PropertyKey>;

/** A record of a page. */
export type RecordOf<A extends AppTypes, P extends PageKey<A>> = PartOf<A, P, 'record'>;
export type PidOf<A extends AppTypes, P extends PageKey<A>> = Of<RecordOf<A, P>, 'pid'>;
export type FieldOf<A extends AppTypes, P extends PageKey<A>> = keyof RecordOf<A, P> & string;
export type ExpandPath<A extends AppTypes, P extends PageKey<A>> = keyof ExpansionsOf<A, P> & string;

/** A record as it was asked for: some of its fields, and what `expand` answers. */
export type Selected<A extends AppTypes, P extends PageKey<A>, F extends FieldOf<A, P>, E extends ExpandPath<A, P>> = ([
  F,
] extends [never]
  ? RecordOf<A, P>
  : Pick<RecordOf<A, P>, (F | 'id' | 'pid') & keyof RecordOf<A, P>>) &
  ([E] extends [never] ? unknown : { readonly expanded: { readonly [K in E]: ExpansionsOf<A, P>[K] } });

export type Operator =
  | 'eq'
  | 'ne'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'in'
  | 'not_in'
  | 'between'
  | 'not_between'
  | 'like'
  | 'not_like'
  | 'ilike'
  | 'contains'
  | 'starts_with'
  | 'ends_with'
  | 'is_null'
  | 'is_not_null';

/** Paths such as `account.name` lead to fields of related records. */
type Path<F extends string> = F | `${F}.${string}`;

/** A condition on records; those of a list are joined by AND. */
export type Condition<F extends string = string> =
  | { readonly fieldName: Path<F>; readonly operator: Operator; readonly value?: unknown }
  | { readonly and: readonly Condition<F>[] }
  | { readonly or: readonly Condition<F>[] }
  | { readonly not: Condition<F> };

export interface SortField<F extends string = string> {
  readonly fieldName: Path<F>;
  readonly order?: 'asc' | 'desc';
}

export type Filterable<A extends AppTypes, P extends PageKey<A>> = PartOf<A, P, 'filterable'> & string;
export type Sortable<A extends AppTypes, P extends PageKey<A>> = PartOf<A, P, 'sortable'> & string;
