import type { TemplatesOf, TextTable } from '../../foundation/i18n/text-table.ts';

export const IMPORTS_TEXTS = {
  'import.not_found': { en: 'There is no such import', zhCn: '导入任务不存在' },
  'import.ended': { en: 'The import has ended', zhCn: '导入任务已结束' },
  'import.too_many': {
    en: 'A user may have {user} imports under way, a tenant {tenant}',
    zhCn: '每位用户最多同时进行 {user} 个导入，每个租户 {tenant} 个',
  },
  'import.left': {
    en: 'Its user is no active member of the tenant any more, or its key was revoked or suspended',
    zhCn: '发起导入的用户已不是该租户的有效成员，或其密钥已被吊销或暂停',
  },
  'import.not_decodable': {
    en: 'is not a text in {encoding}: see its byte {byte}',
    zhCn: '不是 {encoding} 文本：见偏移 {byte} 处的字节',
  },
  'import.delimiter_of_csv': { en: 'is for CSV alone', zhCn: '仅适用于 CSV' },
  'import.empty': { en: 'is empty', zhCn: '为空' },
  'import.not_csv': { en: 'row {row} is not valid CSV', zhCn: '第 {row} 行不是有效的 CSV' },
  'import.long_row': { en: 'row {row} has more than {max} characters', zhCn: '第 {row} 行超过 {max} 个字符' },
  'import.long_cell': { en: 'has a cell of more than {max} characters', zhCn: '有单元格超过 {max} 个字符' },
  'import.many_columns': { en: 'has more than {max} columns', zhCn: '超过 {max} 列' },
  'import.many_rows': { en: 'has more than {max} rows', zhCn: '超过 {max} 行' },
  'import.no_name': {
    en: 'has no name for column {column} in its first row',
    zhCn: '首行中第 {column} 列没有名称',
  },
  'import.two_columns': { en: 'has two columns {column}', zhCn: '有两个名为 {column} 的列' },
  'import.many_cells': {
    en: 'has more cells than the first row: {max}',
    zhCn: '单元格数多于首行：{max}',
  },
  'import.not_workbook': { en: 'is not a workbook that can be read', zhCn: '不是可读取的工作簿' },
  'import.many_parts': { en: 'has more than {max} parts', zhCn: '超过 {max} 个部分' },
  'import.unpacks': {
    en: 'unpacks to more than {max} MB: import it as CSV',
    zhCn: '解压后超过 {max} MB：请以 CSV 导入',
  },
  'import.many_texts': {
    en: 'has more than {max} different texts: import it as CSV',
    zhCn: '不同的文本超过 {max} 个：请以 CSV 导入',
  },
  'import.many_characters': {
    en: 'has more than {max} characters of text: import it as CSV',
    zhCn: '文本超过 {max} 个字符：请以 CSV 导入',
  },
  'import.large_rows': {
    en: 'has rows of more than {max} MB: import it as CSV',
    zhCn: '各行合计超过 {max} MB：请以 CSV 导入',
  },
  'import.deep_xml': { en: 'nests its XML deeper than {max} levels', zhCn: 'XML 嵌套超过 {max} 层' },
  'import.many_attributes': {
    en: 'has an XML tag with more than {max} attributes',
    zhCn: '有 XML 标签的属性超过 {max} 个',
  },
  'import.many_formats': { en: 'has more than {max} cell formats', zhCn: '单元格格式超过 {max} 种' },
  'import.long_reading': {
    en: 'takes more than {max} s to be read: import it as CSV',
    zhCn: '读取超过 {max} 秒：请以 CSV 导入',
  },
  'import.large_reading': {
    en: 'needs more than {max} MB of memory to be read: import it as CSV',
    zhCn: '读取所需内存超过 {max} MB：请以 CSV 导入',
  },
  'import.no_sheet': { en: 'has no sheet that is shown', zhCn: '没有可见的工作表' },
  'import.row_order': {
    en: 'has a row numbered {row} behind row {before}',
    zhCn: '第 {before} 行之后有编号为 {row} 的行',
  },
  'import.cell_order': {
    en: 'has a cell {cell} out of its order in row {row}',
    zhCn: '第 {row} 行中单元格 {cell} 的顺序有误',
  },
  'import.cell_error': { en: 'has the error {name}', zhCn: '单元格错误：{name}' },
  'import.cell_formula': {
    en: 'is a formula whose result is not in the file: open it, and save it again',
    zhCn: '是公式，但文件中没有其结果：请打开后重新保存',
  },
  'import.cell_number': {
    en: 'is no number that can be kept exactly: {name}',
    zhCn: '不是可以精确保存的数字：{name}',
  },
  'import.days_of_mac': {
    en: 'counts days from 1904: save it with the usual date system',
    zhCn: '使用 1904 日期系统：请以常用的日期系统保存',
  },
  'import.no_column': { en: 'is not a column of the file', zhCn: '不是文件中的列' },
  'import.mapping_needed': {
    en: 'is needed: {column} is not a field of {model}',
    zhCn: '需要提供：{column} 不是 {model} 的字段',
  },
  'import.not_for_mode': { en: 'is not for this mode', zhCn: '不适用于此模式' },
  'import.not_mapped': { en: 'is not in the mapping', zhCn: '不在映射中' },
  'import.no_command_of_model': { en: 'is not a command of {model}', zhCn: '不是 {model} 的命令' },
  'import.does_not': { en: 'does not {operations}', zhCn: '不执行 {operations}' },
  'import.several_commands': {
    en: 'is required: {codes} do {operation}',
    zhCn: '必填：{codes} 都执行 {operation}',
  },
  'import.no_command': {
    en: 'no command of {model} does {operation}',
    zhCn: '{model} 没有执行 {operation} 的命令',
  },
  'import.more_failed': {
    en: '{failed} rows have failed; the first {max} are named',
    zhCn: '共有 {failed} 行失败；此处列出前 {max} 行',
  },
} as const satisfies TextTable;

declare module '../../foundation/i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof IMPORTS_TEXTS> {}
}
