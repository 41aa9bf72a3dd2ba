/** Temporal takes 2 KB per search attribute, encoded as JSON. */
const MAX_LIST_LENGTH = 1_900;
/** Temporal takes 200 bytes. */
const MAX_SUMMARY_LENGTH = 180;

/** The distinct values, as many as a search attribute can hold. */
export function distinct(values: readonly string[]): string[] {
  let length = 0;
  return [...new Set(values)].filter((value) => (length += value.length + 3) <= MAX_LIST_LENGTH);
}

/** What Temporal's Web UI says of a group: "12 commands: crm:create_lead 8, crm:update_deal 4". */
export function summaryOf(codes: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  const parts = [...counts].sort(([, a], [, b]) => b - a).map(([code, count]) => `${code} ${count}`);
  const text = `${codes.length} commands: ${parts.join(', ')}`;
  return text.length <= MAX_SUMMARY_LENGTH ? text : `${text.slice(0, MAX_SUMMARY_LENGTH)} ...`;
}
