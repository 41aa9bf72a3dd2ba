import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const DATASOURCES_TEXTS = {
  'said.cannot_evaluate': { en: 'The data source cannot be evaluated: {problem}', zhCn: '无法计算数据源：{problem}' },
  'validation.not_text': { en: 'is not a valid text', zhCn: '不是有效的文本' },
  'sql.one_statement': { en: 'must be exactly one statement', zhCn: '必须恰好是一条语句' },
  'sql.select': { en: 'must be a SELECT', zhCn: '必须是 SELECT' },
  'sql.invalid': { en: 'is not valid SQL: {problem}', zhCn: '不是有效的 SQL：{problem}' },
  'sql.refused_part': {
    en: 'uses {problem}, which a data source may not use',
    zhCn: '使用了{problem}，数据源不允许使用',
  },
  'sql.schema_before_table': { en: 'a schema before a table', zhCn: '表名前的 schema' },
  'sql.database_before_table': { en: 'a database before a table', zhCn: '表名前的数据库名' },
  'sql.parameter': { en: 'a parameter such as $1', zhCn: '$1 这样的参数' },
  'sql.locking': { en: 'FOR UPDATE or FOR SHARE', zhCn: 'FOR UPDATE 或 FOR SHARE' },
  'sql.with_name': {
    en: 'names a WITH query {name}; the prefixes mt_ and pg_ belong to tables',
    zhCn: 'WITH 查询不能命名为 {name}：前缀 mt_ 和 pg_ 留给表使用',
  },
  'sql.renamed_join': { en: 'renames the columns of a join by their position', zhCn: '按位置重命名了连接的列' },
  'sql.renamed_table': { en: 'renames the columns of {table} by their position', zhCn: '按位置重命名了 {table} 的列' },
  'sql.function': {
    en: 'calls {function}, which a data source may not call',
    zhCn: '调用了 {function}，数据源不允许调用',
  },
  'sql.type': {
    en: 'uses the type {type}; only plain types of values are allowed',
    zhCn: '使用了类型 {type}；只允许普通的值类型',
  },
  'sql.collation_schema': { en: 'uses a schema before a collation', zhCn: '在排序规则前使用了 schema' },
  'sql.table': {
    en: 'reads {table}; a data source reads tables mt_<modelCode> and its own WITH queries only',
    zhCn: '读取了 {table}；数据源只能读取表 mt_<modelCode> 和自身的 WITH 查询',
  },
  'sql.column_schema': { en: 'uses a schema before the column {column}', zhCn: '在列 {column} 前使用了 schema' },
  'sql.system_column': {
    en: 'reads {column}, which a data source may not read',
    zhCn: '读取了 {column}，数据源不允许读取',
  },
  'sql.cannot_be_judged': { en: 'holds something that cannot be judged', zhCn: '包含无法判断的内容' },
  'sql.operator': { en: 'uses the operator {operator}', zhCn: '使用了不允许的运算符 {operator}' },
  'sql.does_not_fit': { en: 'does not fit the models: {problem}', zhCn: '与模型不符：{problem}' },
  'sql.no_model': {
    en: 'reads mt_{table}, but there is no model {model}',
    zhCn: '读取了 mt_{table}，但模型 {model} 不存在',
  },
  'sql.no_field': {
    en: 'reads {column}, which is not a field of {models}',
    zhCn: '读取了 {column}，但它不是 {models} 的字段',
  },
  'sql.position': { en: '{problem} (line {line}, column {column})', zhCn: '{problem}（第 {line} 行，第 {column} 列）' },
  'sql.parameter_place': {
    en: 'names a parameter where no value can stand',
    zhCn: '在不能放值的位置使用了参数',
  },
  'datasource.unknown_param': { en: 'is not a parameter of this data source', zhCn: '不是该数据源的参数' },
  'datasource.undeclared_param': { en: 'names {param}, which params lack', zhCn: '使用了 params 未声明的 {param}' },
  'datasource.unused_param': { en: 'is used nowhere', zhCn: '未被使用' },
  'datasource.template': {
    en: 'holds {{ that is neither {{secret:NAME}} nor {{param:code}}',
    zhCn: '含有既不是 {{secret:NAME}} 也不是 {{param:code}} 的 {{',
  },
  'datasource.host_param': {
    en: 'must name its host without a parameter',
    zhCn: '主机名不能使用参数',
  },
  'datasource.optional_in_url': {
    en: 'needs the parameter {param} to be required',
    zhCn: '要求参数 {param} 为必填',
  },
  'datasource.path_param': { en: 'cannot be a part of the path of a URL', zhCn: '不能作为 URL 路径的一部分' },
  'datasource.header_param': { en: 'cannot stand in a header', zhCn: '不能放在请求头中' },
  'datasource.body': { en: 'is for POST', zhCn: '仅用于 POST' },
  'datasource.not_enum': { en: 'is {type}, not enum', zhCn: '类型为 {type}，不是 enum' },
  'datasource.unknown_origin': {
    en: 'no saved data source calls {origin}',
    zhCn: '没有已保存的数据源调用 {origin}',
  },
  'datasource.unknown_secret': {
    en: 'no saved data source sends the secret {secret} to {origin}',
    zhCn: '没有已保存的数据源把密钥 {secret} 发送到 {origin}',
  },
  'datasource.sql': { en: 'its SQL {problem}', zhCn: '其 SQL {problem}' },
  'datasource.condition': { en: 'its condition on {field} {problem}', zhCn: '其 {field} 条件：{problem}' },
  'datasource.no_model': { en: 'there is no model {code}', zhCn: '模型 {code} 不存在' },
  'datasource.no_field': { en: '{model} has no field {field}', zhCn: '{model} 没有字段 {field}' },
  'datasource.too_slow': { en: 'it runs too long', zhCn: '运行时间过长' },
  'datasource.division_by_zero': { en: 'it divides by zero', zhCn: '除数为零' },
  'datasource.several_rows': {
    en: 'a subquery that stands for one value finds several rows',
    zhCn: '应返回单个值的子查询返回了多行',
  },
  'datasource.shapes': { en: 'its parts do not have the same shape', zhCn: '各部分的结构不一致' },
  'datasource.values': { en: 'it meets a value that it cannot compute with', zhCn: '遇到了无法计算的值' },
  'datasource.too_complex': { en: 'it is too complex', zhCn: '过于复杂' },
  'datasource.fields': { en: 'it does not fit the fields that its models have now', zhCn: '与模型当前的字段不符' },
  'datasource.secret_in_url': {
    en: 'must not hold a secret: put it into a header or the query',
    zhCn: '不能包含密钥：请放在请求头或查询参数中',
  },
  'datasource.fragment': { en: 'must not have a fragment', zhCn: '不能包含片段（#）' },
  'datasource.unavailable': {
    en: 'The service behind the data source is unavailable: {problem}',
    zhCn: '数据源背后的服务不可用：{problem}',
  },
  'datasource.bad_answer': {
    en: 'The service behind the data source gives no usable answer: {problem}',
    zhCn: '数据源背后的服务未给出可用的应答：{problem}',
  },
  'datasource.status': { en: 'it answers HTTP {status}', zhCn: '应答为 HTTP {status}' },
  'datasource.too_large': { en: 'its answer is longer than {max} bytes', zhCn: '应答超过 {max} 字节' },
  'datasource.bad_json': { en: 'its answer {problem}', zhCn: '应答{problem}' },
  'datasource.not_json': { en: 'its answer is not JSON', zhCn: '应答不是 JSON' },
  'datasource.not_an_array': { en: '{problem} is not an array', zhCn: '{problem} 不是数组' },
  'datasource.not_objects': {
    en: '{problem} holds something that is not an object',
    zhCn: '{problem} 中含有不是对象的内容',
  },
  'datasource.the_answer': { en: 'the answer', zhCn: '应答' },
  'designer.is_no_model': { en: 'is not a model', zhCn: '不是模型' },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof DATASOURCES_TEXTS> {}
}
