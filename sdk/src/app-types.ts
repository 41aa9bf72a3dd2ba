/** The types of an application, as `keelson types` prints them: `createClient<KeelsonApp>(...)`. */
export interface AppTypes {
  readonly models: object;
  readonly pages: object;
  readonly commands: object;
  readonly events: object;
  /** By model: what `expand` answers at each path. */
  readonly expansions: object;
  readonly dataSources?: object;
  readonly automations?: object;
}

/** An application of which nothing is known. */
export interface AnyApp extends AppTypes {
  readonly models: Readonly<Record<string, AnyModel>>;
  readonly pages: Readonly<Record<string, { readonly model: string }>>;
  readonly commands: Readonly<Record<string, AnyCommand>>;
  readonly events: Readonly<Record<string, unknown>>;
  readonly expansions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly dataSources: Readonly<Record<string, { readonly params: Fields; readonly row: Fields }>>;
  readonly automations: Readonly<Record<string, { readonly input: Fields }>>;
}

type Fields = Readonly<Record<string, unknown>>;

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
export type DataSourceCode<A extends AppTypes> = keyof NonNullable<A['dataSources']> & string;
export type AutomationCode<A extends AppTypes> = keyof NonNullable<A['automations']> & string;
/** What a data source takes (`params`) and answers (`row`). */
export type DataSourcePart<A extends AppTypes, D extends string, Part extends string> = Of<
  Of<NonNullable<A['dataSources']>, D>,
  Part
>;
export type AutomationInput<A extends AppTypes, C extends string> = Of<Of<NonNullable<A['automations']>, C>, 'input'>;
/** The arguments after those that have to be there: what demands nothing may be left out. */
export type Rest<Given, Options> =
  Record<never, never> extends Given ? [given?: Given, options?: Options] : [given: Given, options?: Options];

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
/** Paths to fields of related records; neither of many nor of people, who are none. */
type RelatedField<A extends AppTypes, P extends PageKey<A>> = {
  [E in ExpandPath<A, P>]: 'version' extends keyof RelatedRecord<A, P, E>
    ? `${E}.${keyof RelatedRecord<A, P, E> & string}`
    : never;
}[ExpandPath<A, P>];
/** What `fields` takes beside fields: paths to those of related records, and the names of people. */
export type RelatedPath<A extends AppTypes, P extends PageKey<A>> = RelatedField<A, P> | `${FieldOf<A, P>}.username`;
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

/** A condition on records; those of a list are joined by AND. */
export type Condition<F extends string = string> = Joined<{
  readonly fieldName: F;
  readonly operator: Operator;
  readonly value?: unknown;
}>;
type Joined<Comparison> =
  | Comparison
  | { readonly and: readonly Joined<Comparison>[] }
  | { readonly or: readonly Joined<Comparison>[] }
  | { readonly not: Joined<Comparison> };

export interface SortField<F extends string = string> {
  readonly fieldName: F;
  readonly order?: 'asc' | 'desc';
}

/** Fields of the records, and paths such as `account.name` to fields of related ones. */
export type Filterable<A extends AppTypes, P extends PageKey<A>> =
  | (PartOf<A, P, 'filterable'> & string)
  | RelatedField<A, P>;
export type Sortable<A extends AppTypes, P extends PageKey<A>> =
  | (PartOf<A, P, 'sortable'> & string)
  | RelatedField<A, P>;

/** The value of a field, or of one at a path. */
export type ValueAt<A extends AppTypes, P extends PageKey<A>, F> = F extends keyof RecordOf<A, P>
  ? Exclude<RecordOf<A, P>[F], undefined>
  : Exclude<RelatedValue<A, P, F>, undefined>;
/** Whether values are some texts, and no others: pids, for example, are any. */
type IsChoice<V> = [V] extends [string] ? (Record<never, never> extends Record<V, 1> ? false : true) : false;
type ChoiceField<A extends AppTypes, P extends PageKey<A>> = {
  [F in Filterable<A, P>]: IsChoice<NonNullable<ValueAt<A, P, F>>> extends true ? F : never;
}[Filterable<A, P>];
/** A field of type `enum` is compared with its values. */
type ChoiceComparison<F, V> =
  | { readonly fieldName: F; readonly operator: 'eq' | 'ne'; readonly value: V }
  | { readonly fieldName: F; readonly operator: 'in' | 'not_in'; readonly value: readonly V[] }
  | {
      readonly fieldName: F;
      readonly operator: Exclude<Operator, 'eq' | 'ne' | 'in' | 'not_in'>;
      readonly value?: unknown;
    };
/** A condition on the records of a page. */
export type Filter<A extends AppTypes, P extends PageKey<A>> = Joined<
  | {
      readonly fieldName: Exclude<Filterable<A, P>, ChoiceField<A, P>>;
      readonly operator: Operator;
      readonly value?: unknown;
    }
  | { [F in ChoiceField<A, P>]: ChoiceComparison<F, NonNullable<ValueAt<A, P, F>>> }[ChoiceField<A, P>]
>;
