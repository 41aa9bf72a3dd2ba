import { LARGEST_PAGE, withQuery } from './api-paths.mjs';

/**
 * All that a list has, page after page.
 * @param {import('./connection.mjs').Connection} connection
 * @param {string} path
 * @param {Record<string, string | undefined>} query
 * @returns {AsyncGenerator<any>}
 */
export async function* everyRecord(connection, path, query = {}) {
  for (let pageNum = 1; ; pageNum += 1) {
    const asked = { ...query, pageNum: String(pageNum), pageSize: String(LARGEST_PAGE) };
    const { records, total } = (await connection.get(withQuery(path, asked))).data;
    yield* records;
    if (records.length === 0 || pageNum * LARGEST_PAGE >= total) return;
  }
}
