import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useFormat } from '../words/format.ts';
import { call, type CallResult } from './call.ts';
import { readAll } from './queries.ts';

export type Member = CallResult<'GET /users'>['data']['data'][number] & { name: string };

/** All members of the workspace, which are few. */
const membersQuery = queryOptions({
  queryKey: ['users', 'all'],
  async queryFn({ signal }): Promise<readonly Member[]> {
    const users = await readAll((query) => call('GET /users', { query, signal }));
    return users.map((user) => ({ ...user, name: nameOf(user) }));
  },
  staleTime: 5 * 60_000,
});

function nameOf(user: { first_name: string; last_name: string; email: string }): string {
  return `${user.first_name} ${user.last_name}`.trim() || user.email;
}

/** Members in order of name. `nameOf` is undefined for somebody who is no member, or while members are loading. */
export function useMembers(): {
  members: readonly Member[];
  nameOf: (id: string | null) => string | undefined;
  isReady: boolean;
} {
  const { data, isSuccess } = useQuery(membersQuery);
  const { compare } = useFormat();
  return useMemo(() => {
    const names = new Map(data?.map(({ id, name }) => [id, name]));
    return {
      members: data?.toSorted((one, other) => compare(one.name, other.name)) ?? [],
      nameOf: (id) => (id === null ? undefined : names.get(id)),
      isReady: isSuccess,
    };
  }, [data, isSuccess, compare]);
}
