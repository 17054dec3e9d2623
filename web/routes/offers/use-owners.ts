import { useQuery } from '@tanstack/react-query';
import { queryOf } from '../../client/queries.ts';
import { useFormat } from '../../words/format.ts';

/** The members of the workspace by name, to choose an owner of. */
export function useOwners(): { id: string; label: string }[] {
  const format = useFormat();
  const { data } = useQuery(queryOf('GET /users', { query: { limit: '100' } }));
  const people = data?.data.data ?? [];
  return people
    .map(({ id, first_name, last_name }) => ({ id, label: `${first_name} ${last_name}` }))
    .toSorted((one, other) => format.compare(one.label, other.label));
}
