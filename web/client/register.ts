import { call, type CallResult } from './call.ts';
import { isProblem } from './problem.ts';

export type Unit = CallResult<'GET /register/{orgNr}'>['data']['data'];

/**
 * Units of the register whose names or numbers match; for a whole number, also as on invoices (`NO 923 609 016 MVA`),
 * the unit that has it, dissolved or not.
 */
export async function findUnits(text: string, signal: AbortSignal): Promise<readonly Unit[]> {
  const number = text.trim().replaceAll(/[\s.-]|^NO|MVA$/gi, '');
  if (!/^\d{9}$/.test(number)) return (await call('GET /register', { query: { q: text }, signal })).data.data;
  try {
    return [(await call('GET /register/{orgNr}', { params: { orgNr: number }, signal })).data.data];
  } catch (error) {
    if (isProblem(error, 'not_in_register')) return [];
    throw error;
  }
}
