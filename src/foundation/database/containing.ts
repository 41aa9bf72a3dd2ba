/** Texts of which this is a part, whatever their case: for the entity manager's filters. */
export function containing(part: string): { $ilike: string } {
  return { $ilike: `%${part.replace(/[\\%_]/g, '\\$&')}%` };
}
