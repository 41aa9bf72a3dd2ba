import { useQuery } from '@tanstack/react-query';
import { rolesQuery } from './administration-query.ts';

/** Says roles by their names; one that is not known keeps its code. */
export function useRoleNames(): (codes: readonly string[]) => string {
  const { data: roles = [] } = useQuery(rolesQuery);
  const names = new Map(roles.map(({ code, name }) => [code, name]));
  return (codes) => codes.map((code) => names.get(code) ?? code).join(', ');
}
