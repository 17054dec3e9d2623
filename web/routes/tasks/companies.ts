import { call } from '../../client/call.ts';
import type { Found } from '../../components/combo-box.tsx';

const MOST = 8;

/** Companies to choose from: those that fit what was typed, or those changed last. */
export async function searchCompanies(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const query = text === '' ? { sort: '-updated_at' as const } : { q: text };
  const { data } = await call('GET /companies', { query: { ...query, limit: String(MOST) }, signal });
  return data.data.map(({ id, name, orgnr }) => ({ id, label: name, detail: orgnr }));
}
