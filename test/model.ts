/** What the API is expected to hold of one workspace, in memory and without a database. */

type Fields = Record<string, unknown>;

export type Resource = 'companies' | 'contacts' | 'tasks' | 'offers';

/** One thing done to a workspace. Things are named by small numbers, so that steps meet each other. */
export type Step =
  | { do: 'add company'; company: number; fields: Fields }
  | { do: 'delete company' | 'restore company' | 'archive company'; company: number }
  | { do: 'list companies'; limit: number; offset: number }
  | { do: 'create'; resource: Exclude<Resource, 'companies'>; thing: number; fields: Fields }
  | { do: 'change'; resource: Resource; thing: number; fields: Fields }
  | { do: 'read'; resource: Resource; thing: number }
  | { do: 'add note'; company: number }
  | { do: 'add point'; contact: number; value: string }
  | { do: 'add link'; contact: number; company: number; role: string | null }
  | { do: 'list points' | 'list links'; contact: number };

/** How the request of a step must be answered; `data` holds what is known beforehand of the answer's data. */
export type Expected = { status: number; data?: object };

type Thing = Fields & { points?: Fields[]; links?: Fields[] };

const DEFAULTS: Record<Exclude<Resource, 'companies'>, Fields> = {
  contacts: { notes: '' },
  tasks: { description: null, has_time_specified: true, related_company_id: null, completed: false },
  offers: {
    description: null,
    status: 'new',
    one_time_revenue: 0,
    recurring_revenue: 0,
    recurring_frequency: 'monthly',
    weight: 50,
  },
};

/** A workspace as it should be. `knows` tells whether an id is that of a member. */
export function createModel(knows: (user: unknown) => boolean) {
  const things: Record<Resource, Map<number, Thing>> = {
    companies: new Map(),
    contacts: new Map(),
    tasks: new Map(),
    offers: new Map(),
  };

  const alive = (company: Thing | undefined) => company !== undefined && company['is_deleted'] !== true;
  const live = () => [...things.companies.values()].filter(alive);

  /** Whether users and companies in the fields are of the workspace, the companies not deleted. */
  function refersWell(fields: Fields): boolean {
    const users = [fields['user_id'], fields['assigned_to']].filter((id) => id !== undefined && id !== null);
    const companies = [fields['company_id'], fields['related_company_id']].filter(
      (id) => id !== undefined && id !== null,
    );
    return users.every(knows) && companies.every((id) => live().some((company) => company['id'] === id));
  }

  function create(resource: Exclude<Resource, 'companies'>, thing: number, fields: Fields): Expected {
    if (things[resource].has(thing)) return { status: 409 };
    if (!refersWell(fields)) return { status: 400 };
    const made: Thing = settled(resource, { ...DEFAULTS[resource], ...fields });
    things[resource].set(thing, made);
    return { status: 201, data: made };
  }

  function change(resource: Resource, thing: number, fields: Fields): Expected {
    const known = things[resource].get(thing);
    if (!known || (resource === 'companies' && !alive(known))) return { status: 404 };
    if (!refersWell(fields)) return { status: 400 };
    Object.assign(known, settled(resource, { ...known, ...fields }));
    return { status: 200, data: shown(known) };
  }

  function read(resource: Resource, thing: number): Expected {
    const known = things[resource].get(thing);
    return known && (resource !== 'companies' || alive(known))
      ? { status: 200, data: shown(known) }
      : { status: 404 };
  }

  return {
    things,
    /** A company that the workspace has already is answered with 200, or with 409 when it is deleted. */
    addCompany(company: number, fields: Fields): Expected {
      const known = things.companies.get(company);
      if (known) return alive(known) ? { status: 200, data: shown(known) } : { status: 409 };
      if (!refersWell(fields)) return { status: 400 };
      things.companies.set(company, {
        status: 'prospect',
        assigned_to: null,
        is_archived: false,
        is_deleted: false,
        ...fields,
      });
      return { status: 201, data: things.companies.get(company) };
    },
    mark(company: number, flag: string, value: boolean): boolean {
      const known = things.companies.get(company);
      if (known) known[flag] = value;
      return known !== undefined;
    },
    page(limit: number, offset: number) {
      const rows = live().toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1));
      return {
        data: rows.slice(offset, offset + limit).map(shown),
        page: { size: limit, offset, has_more: rows.length > offset + limit },
      };
    },
    create,
    change,
    read,
    addNote: (company: number): Expected => ({ status: alive(things.companies.get(company)) ? 201 : 404 }),
    addTo(contact: number, list: 'points' | 'links', entry: Fields): Expected {
      const known = things.contacts.get(contact);
      if (!known) return { status: 404 };
      if (!refersWell(entry)) return { status: 400 };
      known[list] = [...(known[list] ?? []), entry];
      return { status: 201, data: entry };
    },
    list(contact: number, list: 'points' | 'links'): Expected {
      const known = things.contacts.get(contact);
      return known ? { status: 200, data: known[list] ?? [] } : { status: 404 };
    },
  };
}

/** An accepted offer is certain. */
function settled(resource: Resource, fields: Fields): Fields {
  return resource === 'offers' && fields['status'] === 'accepted' ? { ...fields, weight: 100 } : fields;
}

function shown(thing: Thing): Fields {
  const { points: _, links: __, ...fields } = thing;
  return fields;
}
