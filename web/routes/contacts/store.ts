import type { QueryClient } from '@tanstack/react-query';
import { call } from '../../client/call.ts';
import { createUnlessThere } from '../../client/create-unless-there.ts';
import { CallProblem, isProblem } from '../../client/problem.ts';

type Values = Readonly<Record<string, string>>;

/**
 * What earlier tries of a form did: whether one stored the contact and then failed, the company that it may have
 * linked, and how often something stored was removed again.
 */
type Attempt = { isPartly: boolean; linked: string | null; removals: number };

/** Before the first try. */
export const NOTHING_STORED: Attempt = { isPartly: false, linked: null, removals: 0 };

type Storing = {
  draft: Attempt;
  set: (changes: Partial<Attempt>) => void;
  /** Gives the contact's id: the same for each try, until `forgetSent`. */
  idOf: () => string;
  /** Forgets the earlier tries: the next one counts as the first. */
  forgetSent: () => void;
  /** Gives the Idempotency-Key for a body: the same for an equal body, so that a repeated request is recognised. */
  keyOf: (body: unknown) => string;
  client: QueryClient;
};

/**
 * Stores a new contact. What an earlier try stored before it failed is corrected, not stored again.
 * @returns its id
 */
export async function storeContact(
  values: Values,
  company: string | undefined,
  storing: Storing,
): Promise<string> {
  const { draft, set, idOf, keyOf, forgetSent, client } = storing;
  const { isPartly, linked, removals } = draft;
  const id = idOf();
  const body = { name: (values.name ?? '').trim() };
  const isNew =
    !isPartly &&
    (await createUnlessThere(() => call('POST /contacts', { body: { id, ...body, notes: '' } })));
  if (!isNew && !(await rename(id, body))) {
    forgetSent();
    set(NOTHING_STORED);
    return storeContact(values, company, { ...storing, draft: NOTHING_STORED });
  }
  const onRemoved = () => set({ removals: removals + 1 });
  try {
    await storePoints(id, {
      values,
      isNew,
      // To add again what was removed is a new request: it needs another key.
      keyOf: (point) => keyOf({ point, removals }),
      onRemoved,
    });
    if (linked && linked !== company) {
      await removeLinks(id, linked);
      onRemoved();
    }
    set({ linked: company ?? null });
    if (company !== undefined) {
      await storeLink(id, { values, company, isNew, keyOf: (link) => keyOf({ link, removals }) });
    }
    return id;
  } catch (error) {
    set({ isPartly: true });
    throw error;
  } finally {
    void client.invalidateQueries({ queryKey: ['contacts'] });
  }
}

/** @returns whether the contact is there: it may have been erased or merged since an earlier try */
async function rename(id: string, body: { name: string }): Promise<boolean> {
  try {
    await call('PATCH /contacts/{id}', { params: { id }, body });
    return true;
  } catch (error) {
    if (!isProblem(error, 'not_found')) throw error;
    return false;
  }
}

async function removeLinks(id: string, company: string): Promise<void> {
  const { data: links } = (await call('GET /contacts/{id}/companies', { params: { id } })).data;
  for (const link of links.filter(({ company_id }) => company_id === company)) {
    await call('DELETE /contacts/{id}/companies/{linkId}', { params: { id, linkId: String(link.id) } });
  }
}

async function storeLink(
  id: string,
  {
    values,
    company,
    isNew,
    keyOf,
  }: { values: Values; company: string; isNew: boolean; keyOf: Storing['keyOf'] },
): Promise<void> {
  const params = { id };
  const role = (values.role ?? '').trim() || null;
  const stored = isNew ? [] : (await call('GET /contacts/{id}/companies', { params })).data.data;
  const link = stored.find(({ company_id }) => company_id === company);
  if (!link) {
    const body = { company_id: company, role };
    await call('POST /contacts/{id}/companies', { params, body, idempotencyKey: keyOf(body) });
  } else if (link.role !== role) {
    const linkParams = { ...params, linkId: String(link.id) };
    await call('PATCH /contacts/{id}/companies/{linkId}', { params: linkParams, body: { role } });
  }
}

async function storePoints(
  id: string,
  {
    values,
    isNew,
    keyOf,
    onRemoved,
  }: { values: Values; isNew: boolean; keyOf: Storing['keyOf']; onRemoved: () => void },
): Promise<void> {
  const params = { id };
  const stored = isNew ? [] : (await call('GET /contacts/{id}/points', { params })).data.data;
  for (const type of ['email', 'telephone'] as const) {
    const value = (values[type] ?? '').trim();
    const point = stored.find((one) => one.type === type);
    if (point ? point.value === value : value === '') continue;
    const pointParams = { ...params, pointId: String(point?.id) };
    if (!point) {
      const body = { type, value };
      const idempotencyKey = keyOf(body);
      await asField(type, call('POST /contacts/{id}/points', { params, body, idempotencyKey }));
    } else if (value === '') {
      await call('DELETE /contacts/{id}/points/{pointId}', { params: pointParams });
      onRemoved();
    } else {
      const body = { value };
      await asField(type, call('PATCH /contacts/{id}/points/{pointId}', { params: pointParams, body }));
    }
  }
}

/** An error about the value is shown where it was typed. */
async function asField(field: string, calling: Promise<unknown>): Promise<void> {
  try {
    await calling;
  } catch (error) {
    if (!(error instanceof CallProblem)) throw error;
    const { status, code, message, requestId } = error;
    const details = error.details.map((detail) => ({ ...detail, field }));
    throw new CallProblem({ status, code, error: message, details, requestId });
  }
}
