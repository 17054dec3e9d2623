import { call } from '../../client/call.ts';
import type { Found } from '../../components/combo-box.tsx';

export const COMPANY_SEARCH = ['companies', 'choose'] as const;

/** Companies of the workspace by the beginnings of their words, or their number. */
export async function findCompanies(text: string, signal: AbortSignal): Promise<Found[]> {
  const { data } = await call('GET /companies', {
    query: text === '' ? { limit: '20', sort: 'name' } : { limit: '20', q: text },
    signal,
  });
  return data.data.map(({ id, name, orgnr }) => ({ id, label: name, detail: orgnr }));
}
