import { call } from '../client/call.ts';
import type { Found } from './combo-box.tsx';

/** For every field in which a company is chosen: by name or number. Until one is typed, those changed last show. */
export const COMPANY_SEARCH = {
  searchKey: ['companies', 'choose'],
  nothing: 'noCompanyFound' as const,
  async search(this: void, text: string, signal: AbortSignal): Promise<readonly Found[]> {
    const asked = text === '' ? { sort: '-updated_at' as const } : { sort: 'name' as const, q: text };
    const { data } = await call('GET /companies', { query: { ...asked, limit: '20' }, signal });
    return data.data.map(({ id, name, orgnr }) => ({ id, label: name, detail: orgnr }));
  },
};

/** A company as it was found, shown until it is read. Deleted ones are not found; an archived one is not marked yet. */
export function namedCompany({ id, label, detail = '' }: Found) {
  return { id, name: label, orgnr: detail, is_archived: false, is_deleted: false };
}
