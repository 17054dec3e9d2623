import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, type CallResult } from '../../client/call.ts';
import { CallProblem, isProblem } from '../../client/problem.ts';
import { queryOf } from '../../client/queries.ts';

type Answer = CallResult<'GET /companies/{orgNr}'>;
export type Company = Answer['data']['data'];
type EditableField =
  | 'status'
  | 'assigned_to'
  | 'email_address'
  | 'phone_number'
  | 'mobile_number'
  | 'website_url';

/** Reads deleted companies, too: people see them, and what can be done about it. */
export function companyQuery(orgNr: string) {
  // Another company must not be shown at this one's address meanwhile.
  return queryOptions({
    ...queryOf('GET /companies/{orgNr}', { params: { orgNr } }),
    placeholderData: undefined,
  });
}

export function useCompany(orgNr: string) {
  return useQuery(companyQuery(orgNr));
}

/** Somebody else has given the field another value since it was shown. */
export class FieldConflict extends CallProblem {
  readonly theirs: string | null;

  constructor(theirs: string | null) {
    const error = 'the field was changed meanwhile';
    super({ status: 412, code: 'precondition_failed', error, details: [], requestId: undefined });
    this.theirs = theirs;
  }
}

export type FieldChange = {
  field: EditableField;
  /** What the person saw when the change began. */
  seen: string | null;
  value: string | null;
};

/**
 * Saves one field, provided that it still is what the person saw; changes by others to other fields
 * do not get in the way.
 */
export function useFieldChange(orgNr: string) {
  const client = useQueryClient();
  const query = companyQuery(orgNr);
  const fetchFresh = async () => {
    // A read that is under way may be from before the change.
    await client.cancelQueries({ queryKey: query.queryKey });
    return client.fetchQuery({ ...query, staleTime: 0 });
  };
  return useMutation({
    scope: { id: `company ${orgNr}` },
    async mutationFn({ field, seen, value }: FieldChange) {
      const send = (state: Answer) => {
        const stored = state.data.data[field];
        // An earlier try was carried out, and its answer lost.
        if (stored === value) return state;
        if (stored !== seen) throw new FieldConflict(stored);
        const body = { [field]: value };
        return call('PATCH /companies/{orgNr}', { params: { orgNr }, body, ifMatch: state.etag });
      };
      const known = client.getQueryData(query.queryKey) ?? (await fetchFresh());
      try {
        return await send(known);
      } catch (error) {
        if (!isProblem(error, 'precondition_failed')) throw error;
        return await send(await fetchFresh());
      }
    },
    onSuccess(answer) {
      client.setQueryData(query.queryKey, answer);
      // The next change does not wait until all is read again.
      void client.invalidateQueries({ queryKey: ['companies'] });
    },
  });
}
