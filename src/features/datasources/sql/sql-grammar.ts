import type { Template } from '../../../foundation/i18n/text.ts';
/**
 * The part of Postgres' SQL that a data source may use, as allow-lists over the parser's tree. What does not
 * stand here is refused: a function or syntax of a later Postgres is unknown, not open.
 */

/** A kind of node: the keys it may have, and the kind of those children that the tree holds without a tag. */
export interface Shape {
  readonly keys: ReadonlySet<string>;
  readonly untagged: Readonly<Record<string, string>>;
}

function shape(keys: string, untagged: Record<string, string> = {}): Shape {
  return { keys: new Set([...words(keys), ...Object.keys(untagged)]), untagged };
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

const CONSTANTS = { ival: 'Integer', fval: 'Float', boolval: 'Boolean', sval: 'String', bsval: 'BitString' };

/**
 * No INTO, no locking, no data-modifying statement, no XML, no sampling: none of them has a shape.
 */
export const SHAPES: ReadonlyMap<string, Shape> = new Map([
  [
    'SelectStmt',
    shape(
      `targetList distinctClause fromClause whereClause groupClause groupDistinct havingClause windowClause valuesLists
       sortClause limitOffset limitCount limitOption op all withClause`,
      { larg: 'SelectStmt', rarg: 'SelectStmt' },
    ),
  ],
  ['CommonTableExpr', shape('ctename aliascolnames ctematerialized ctequery')],
  ['RangeVar', shape('relname inh relpersistence', { alias: 'Alias' })],
  ['RangeSubselect', shape('lateral subquery', { alias: 'Alias' })],
  ['RangeFunction', shape('lateral ordinality is_rowsfrom functions', { alias: 'Alias' })],
  ['JoinExpr', shape('jointype larg rarg usingClause quals', { alias: 'Alias', join_using_alias: 'Alias' })],
  ['Alias', shape('aliasname colnames')],
  ['List', shape('items')],
  ['ResTarget', shape('name val')],
  ['ColumnRef', shape('fields')],
  ['A_Star', shape('')],
  ['A_Const', shape('isnull', CONSTANTS)],
  ['Integer', shape('ival')],
  ['Float', shape('fval')],
  ['Boolean', shape('boolval')],
  ['String', shape('sval')],
  ['BitString', shape('bsval')],
  ['A_Expr', shape('kind name lexpr rexpr')],
  ['BoolExpr', shape('boolop args')],
  ['NullTest', shape('arg nulltesttype')],
  ['BooleanTest', shape('arg booltesttype')],
  ['CaseExpr', shape('arg args defresult')],
  ['CaseWhen', shape('expr result')],
  ['CoalesceExpr', shape('args')],
  ['MinMaxExpr', shape('op args')],
  ['RowExpr', shape('args row_format')],
  ['A_ArrayExpr', shape('elements')],
  ['A_Indirection', shape('arg indirection')],
  ['A_Indices', shape('is_slice lidx uidx')],
  ['SubLink', shape('subLinkType testexpr operName subselect')],
  ['CollateClause', shape('arg collname')],
  ['TypeCast', shape('arg', { typeName: 'TypeName' })],
  ['TypeName', shape('names typmods typemod arrayBounds')],
  [
    'FuncCall',
    shape('funcname args agg_order agg_filter agg_within_group agg_star agg_distinct func_variadic funcformat', {
      over: 'WindowDef',
    }),
  ],
  ['NamedArgExpr', shape('arg name argnumber')],
  ['WindowDef', shape('name refname partitionClause orderClause frameOptions startOffset endOffset')],
  ['SortBy', shape('node sortby_dir sortby_nulls')],
  ['GroupingSet', shape('kind content')],
  ['GroupingFunc', shape('args')],
  ['SQLValueFunction', shape('op typmod')],
  ['ParamRef', shape('number')],
]);

/** Where the tree stands in the text, and hints of the parser to itself: they decide nothing. */
export const POSITION_KEYS: ReadonlySet<string> = new Set(
  words('location name_location list_start list_end rexpr_list_start rexpr_list_end type_location argnumber'),
);

/** What the refused parts are called in SQL, for the messages. */
export const REFUSED_NAMES: ReadonlyMap<string, Template | Uppercase<string>> = new Map([
  ['SelectStmt.intoClause', 'SELECT INTO'],
  ['SelectStmt.lockingClause', 'FOR UPDATE or FOR SHARE'],
  ['RangeVar.schemaname', 'a schema before a table'],
  ['RangeVar.catalogname', 'a database before a table'],
  ['RangeTableSample', 'TABLESAMPLE'],
  // Which columns it joins on would depend on the fields that the caller may read.
  ['JoinExpr.isNatural', 'NATURAL JOIN'],
  ['CommonTableExpr.cycle_clause', 'CYCLE'],
  ['CommonTableExpr.search_clause', 'SEARCH'],
  ['SortBy.useOp', 'ORDER BY ... USING'],
  ['TypeName.setof', 'SETOF'],
  ['TypeName.pct_type', '%TYPE'],
  ['SetToDefault', 'DEFAULT'],
  ['XmlExpr', 'XML'],
  ['XmlSerialize', 'XML'],
  ['InsertStmt', 'INSERT'],
  ['UpdateStmt', 'UPDATE'],
  ['DeleteStmt', 'DELETE'],
  ['MergeStmt', 'MERGE'],
]);

/**
 * Functions that compute from their arguments alone (or from the clock). Left out on purpose, beside
 * everything that reads settings, files, catalogues or runs text: functions whose argument is a size (repeat,
 * lpad, format, and generate_series), because one call of them can fill the memory.
 */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  words(`
    count sum avg min max bool_and bool_or every string_agg array_agg json_agg jsonb_agg json_object_agg
    jsonb_object_agg stddev stddev_pop stddev_samp variance var_pop var_samp corr covar_pop covar_samp
    percentile_cont percentile_disc mode
    row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
    abs ceil ceiling floor round trunc sign mod div power sqrt exp ln log width_bucket
    lower upper initcap length char_length character_length octet_length concat concat_ws left right substr substring
    btrim ltrim rtrim replace reverse translate strpos position split_part starts_with overlay normalize ascii chr md5
    to_char to_number regexp_replace regexp_match regexp_split_to_array like_escape similar_to_escape
    now date age extract date_part date_trunc date_bin to_date to_timestamp make_date make_timestamptz make_interval
    justify_days justify_hours timezone overlaps isfinite
    json_build_object jsonb_build_object json_build_array jsonb_build_array to_json to_jsonb row_to_json
    json_array_length jsonb_array_length json_typeof jsonb_typeof jsonb_extract_path jsonb_extract_path_text
    jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys jsonb_strip_nulls
    cardinality array_length array_position array_remove array_to_string string_to_array unnest
  `),
);

/** The plain types of values. Those that look something up by name (regclass and its kin) are not plain. */
export const TYPES: ReadonlySet<string> = new Set(
  words(`
    int2 int4 int8 numeric float4 float8 bool text varchar bpchar date time timetz timestamp timestamptz interval
    json jsonb uuid
  `),
);

/** Operators by the parser's names for them: LIKE is `~~`, and BETWEEN is one, too. */
export const OPERATORS: ReadonlySet<string> = new Set([
  ...words('+ - * / % ^ |/ ||/ @ & | # << >> || = <> < <= > >= ~ ~* !~ !~* ~~ !~~ ~~* !~~* ^@'),
  ...words('-> ->> #> #>> @> <@ ? ?| ?& &&'),
  'BETWEEN',
  'NOT BETWEEN',
  'BETWEEN SYMMETRIC',
  'NOT BETWEEN SYMMETRIC',
]);

/** `current_date` and its family; current_user, current_schema and theirs tell about the server. */
export const VALUE_FUNCTIONS: ReadonlySet<string> = new Set(
  words(`
    SVFOP_CURRENT_DATE SVFOP_CURRENT_TIME SVFOP_CURRENT_TIME_N SVFOP_CURRENT_TIMESTAMP SVFOP_CURRENT_TIMESTAMP_N
    SVFOP_LOCALTIME SVFOP_LOCALTIME_N SVFOP_LOCALTIMESTAMP SVFOP_LOCALTIMESTAMP_N
  `),
);

/** Columns that every real table has behind its back. */
export const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(words('tableoid ctid xmin xmax cmin cmax'));
