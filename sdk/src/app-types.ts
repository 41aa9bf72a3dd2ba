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

type RelatedRecord<A extends AppTypes, P extends PageKey<A>, E extends ExpandPath<A, P>> = Exclude<
  ExpansionsOf<A, P>[E],
  null
>;
/** What `fields` takes beside fields: paths to those of related records, and the names of people. */
export type RelatedPath<A extends AppTypes, P extends PageKey<A>> =
  | {
      [E in ExpandPath<A, P>]: RelatedRecord<A, P, E> extends { readonly records: readonly unknown[] }
        ? never
        : `${E}.${keyof RelatedRecord<A, P, E> & string}`;
    }[ExpandPath<A, P>]
  | `${FieldOf<A, P>}.username`;
type RelatedValue<A extends AppTypes, P extends PageKey<A>, K> = {
  [E in ExpandPath<A, P>]: K extends `${E}.${infer C}`
    ? C extends keyof RelatedRecord<A, P, E>
      ? RelatedRecord<A, P, E>[C] | null
      : never
    : never;
}[ExpandPath<A, P>];
/** What a record shows at these paths. */
type Shown<A extends AppTypes, P extends PageKey<A>, K extends string> = {
  readonly [Path in K]: [RelatedValue<A, P, Path>] extends [never] ? string | null : RelatedValue<A, P, Path>;
};
/** What `fields` may name. */
export type Selectable<A extends AppTypes, P extends PageKey<A>> = FieldOf<A, P> | RelatedPath<A, P>;

/** A record as it was asked for: some of its fields, and what `expand` answers. */
export type Selected<
  A extends AppTypes,
  P extends PageKey<A>,
  F extends Selectable<A, P>,
  E extends ExpandPath<A, P>,
> = ([F] extends [never]
  ? RecordOf<A, P>
  : Pick<RecordOf<A, P>, (F | 'id' | 'pid') & keyof RecordOf<A, P>> & Shown<A, P, Exclude<F, keyof RecordOf<A, P>>>) &
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
