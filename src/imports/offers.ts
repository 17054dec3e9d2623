import { oneLine } from '../csv/columns.ts';
import { CHOICES } from '../csv/headers.ts';
import { patchParameters, pick } from '../db/columns.ts';
import { newId } from '../db/new-id.ts';
import type { Tenant } from '../db/tenant.ts';
import { OFFER_CHANGEABLE, offerCreate, offerUpdate, type OfferUpdate } from '../offers/schema.ts';
import { insertOffer, updateOffer, type StoredOffer } from '../offers/store.ts';
import { changesOf, Reader, stated, type Given } from './cells.ts';
import { numbersIn } from './companies.ts';
import { findDeletedOffers, matchCompanies, matchOffers } from './match-store.ts';
import {
  idIn,
  idsIn,
  loadPersonFinder,
  planCreation,
  planRefusal,
  planUpdate,
  requireRow,
  type Importer,
  type ReadBefore,
  type Planned,
} from './plan.ts';

export const offerImporter: Importer = {
  namesOf(row) {
    const id = idIn(row);
    return id === undefined ? namesWithoutId(row) : [`offer ${id}`];
  },
  namesWithoutId,
  companiesIn: (rows) => numbersIn(rows, 'company'),
  async plan(tenant, rows, known) {
    const stored = await findStored(tenant, rows);
    return rows.map((row) => planOffer(row, stored, known));
  },
};

function namesWithoutId(row: Given): string[] {
  const orgnr = new Reader(row).orgnr('company');
  const title = row.cells.get('title');
  return orgnr === undefined || title === undefined ? [] : [`offer ${orgnr} ${titleKey(title)}`];
}

type Stored = Awaited<ReturnType<typeof findStored>>;

async function findStored(tenant: Tenant, rows: readonly Given[]) {
  const ids = idsIn(rows);
  const companies = await tenant.rows(matchCompanies, { orgnrs: numbersIn(rows, 'company'), ids: [] });
  const unnamed = rows.filter(({ cells }) => !cells.has('id'));
  const numbers = new Set(numbersIn(unnamed, 'company'));
  const named = companies.filter(({ orgnr }) => numbers.has(orgnr)).map(({ id }) => id);
  const offers = await tenant.rows(matchOffers, { ids, companies: named });
  const deleted = ids.length > 0 ? await tenant.rows(findDeletedOffers, { ids }) : [];
  return {
    offers: new Map(offers.map((offer) => [offer.id, offer])),
    byTitle: Map.groupBy(offers, ({ company_id, title }) => `${company_id} ${titleKey(title)}`),
    companies: new Map(companies.map((company) => [company.orgnr, company])),
    deleted: new Set(deleted.map(({ id }) => id)),
    findPerson: await loadPersonFinder(tenant, rows, 'user_id'),
  };
}

function planOffer(row: Given, stored: Stored, { userId }: ReadBefore): Planned {
  const reader = new Reader(row);
  const id = reader.id();
  const orgnr = reader.orgnr('company');
  const company = stored.companies.get(orgnr ?? '');
  const offer = matchOf(reader, { id, company }, stored);
  if (orgnr !== undefined && !company) reader.refuse('company', 'unknown_company');
  else if (company?.is_deleted && offer?.company_id !== company.id) {
    reader.refuse('company', 'deleted_company');
  }
  if (!offer) for (const field of ['title', 'company']) reader.require(field);
  const given = readFields(reader, offer, stored);
  if (reader.reasons.length > 0) return planRefusal(reader.reasons);
  if (company) given.company_id = company.id;
  if (!offer) {
    const { title, company_id } = given;
    const body = offerCreate.decode({ user_id: userId, ...given, title: title!, company_id: company_id! });
    const added = { ...body, id: id ?? newId() };
    return planCreation(added.id, Object.keys(given), async (tenant) => {
      const { etag } = requireRow(await tenant.row(insertOffer, added));
      return { etag, before: null };
    });
  }
  // A weight below 100 has no effect on an accepted offer.
  if ((given.status ?? offer.status) === 'accepted') delete given.weight;
  const patch = changesOf(given, offer);
  const fields = Object.keys(patch) as (keyof OfferUpdate)[];
  return planUpdate(offer.id, fields, async (tenant) => {
    const { etag } = await patchOfferRow(tenant, offer, patch);
    // Accepting an offer sets its weight to 100, so undoing the status restores the weight as well.
    const undo = fields.includes('status') ? [...new Set([...fields, 'weight' as const])] : fields;
    return { etag, before: pick(offer, undo) };
  });
}

/** The offer of a row: by its id; without one, the offer of that title to the company. */
function matchOf(
  reader: Reader,
  { id, company }: { id: string | undefined; company: { id: string } | undefined },
  { offers, byTitle, deleted }: Stored,
): StoredOffer | undefined {
  if (id !== undefined) return deleted.has(id) ? reader.refuse('id', 'used_id') : offers.get(id);
  const named = byTitle.get(`${company?.id} ${titleKey(reader.raw('title'))}`) ?? [];
  return named.length > 1 ? reader.refuse('title', 'ambiguous') : named[0];
}

function readFields(reader: Reader, offer: StoredOffer | undefined, stored: Stored): OfferUpdate {
  const { title, description } = offerUpdate.shape;
  return stated({
    title: reader.text('title', title.unwrap(), offer?.title),
    description: reader.text('description', description.unwrap(), offer?.description),
    user_id: stored.findPerson(reader, offer?.user_id),
    status: reader.choice('status', CHOICES.offer_status),
    one_time_revenue: reader.number('one_time_revenue', Number.MAX_SAFE_INTEGER),
    recurring_revenue: reader.number('recurring_revenue', Number.MAX_SAFE_INTEGER),
    recurring_frequency: reader.choice('recurring_frequency', CHOICES.frequency),
    weight: reader.number('weight', 100),
  });
}

/** Changes fields if nobody else has changed the offer. @throws {Overtaken} */
export async function patchOfferRow(
  tenant: Tenant,
  { id, status, etag }: StoredOffer,
  patch: OfferUpdate,
): Promise<StoredOffer> {
  const parameters = patchParameters(OFFER_CHANGEABLE, patch);
  const written = await tenant.row(updateOffer, {
    ...parameters,
    id,
    seen_status: status,
    if_match: [etag],
  });
  return requireRow(written);
}

function titleKey(title: string | undefined): string {
  return oneLine(title ?? '').toLowerCase();
}
