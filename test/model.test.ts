import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Answer } from './client.ts';
import { createModel, type Expected, type Resource, type Step } from './model.ts';
import { createWorld, type Workspace } from './world.ts';
import { freshOrgnr } from './workspace.ts';

const world = await createWorld();

/** How often a sequence is tried; MODEL_RUNS asks for more than the usual few. */
const RUNS = Number(process.env['MODEL_RUNS'] ?? 40);
const LONGEST = 100;
const THINGS = 3;

const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Stands in a step for an id that is known only once the workspace is there. */
type Name = { user: 0 | 1 | 2 } | { company: number };

const thing = fc.nat({ max: THINGS - 1 });
const user = fc.constantFrom<Name>({ user: 0 }, { user: 1 }, { user: 1 }, { user: 0 }, { user: 2 });
const company = thing.map((number): Name => ({ company: number }));
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 4 });
const text = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 40 })
  .filter((value) => !value.includes('\0') && value.trim() !== '');
const money = fc.maxSafeNat();

/** Any of the optional fields, or none. */
const some = (
  fields: Record<string, fc.Arbitrary<unknown>>,
  always: Record<string, fc.Arbitrary<unknown>> = {},
) =>
  fc.record({ ...fields, ...always }, { requiredKeys: Object.keys(always) }) as fc.Arbitrary<
    Record<string, unknown>
  >;

const FIELDS: Record<Resource, Record<string, fc.Arbitrary<unknown>>> = {
  companies: {
    status: fc.constantFrom('lead', 'prospect', 'customer', 'former_customer', 'disqualified'),
    assigned_to: orNull(user),
    email_address: orNull(fc.constant('post@example.no')),
    phone_number: orNull(text),
    mobile_number: orNull(text),
    website_url: orNull(text),
  },
  contacts: { name: text, notes: fc.oneof(fc.constant(''), text) },
  tasks: {
    title: text,
    description: orNull(text),
    due_date: fc
      .date({
        min: new Date('0001-01-01T00:00:00Z'),
        max: new Date('9999-12-31T23:59:59.999Z'),
        noInvalidDate: true,
      })
      .map((date) => date.toISOString()),
    has_time_specified: fc.boolean(),
    user_id: user,
    related_company_id: orNull(company),
    completed: fc.boolean(),
  },
  offers: {
    title: text,
    description: orNull(text),
    company_id: company,
    user_id: user,
    status: fc.constantFrom('new', 'sent', 'negotiating', 'accepted', 'rejected'),
    one_time_revenue: money,
    recurring_revenue: money,
    recurring_frequency: fc.constantFrom('monthly', 'quarterly', 'yearly'),
    weight: fc.nat({ max: 100 }),
  },
};

const only = (fields: Record<string, fc.Arbitrary<unknown>>, ...names: string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
const without = (fields: Record<string, fc.Arbitrary<unknown>>, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([own]) => own !== name));

const creations = {
  contacts: some(FIELDS.contacts, only(FIELDS.contacts, 'name')),
  tasks: some(without(FIELDS.tasks, 'completed'), only(FIELDS.tasks, 'title', 'due_date', 'user_id')),
  offers: some(FIELDS.offers, only(FIELDS.offers, 'title', 'user_id', 'company_id')),
};

const step = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.record({ do: fc.constant('add company' as const), company: thing, fields: some(FIELDS.companies) }),
  fc.record({
    do: fc.constantFrom('delete company' as const, 'restore company' as const, 'archive company' as const),
    company: thing,
  }),
  fc.record({
    do: fc.constant('list companies' as const),
    limit: fc.integer({ min: 1, max: 5 }),
    offset: fc.nat({ max: 5 }),
  }),
  ...(['contacts', 'tasks', 'offers'] as const).map((resource) =>
    fc.record({
      do: fc.constant('create' as const),
      resource: fc.constant(resource),
      thing,
      fields: creations[resource],
    }),
  ),
  ...(['companies', 'contacts', 'tasks', 'offers'] as const).map((resource) =>
    fc.record({
      do: fc.constant('change' as const),
      resource: fc.constant(resource),
      thing,
      fields: some(FIELDS[resource]),
    }),
  ),
  fc.record({
    do: fc.constant('read' as const),
    resource: fc.constantFrom('companies', 'contacts', 'tasks', 'offers'),
    thing,
  }),
  fc.record({ do: fc.constant('add note' as const), company: thing }),
  fc.record({ do: fc.constant('add point' as const), contact: thing, value: text }),
  fc.record({ do: fc.constant('add link' as const), contact: thing, company: thing, role: orNull(text) }),
  fc.record({ do: fc.constantFrom('list points' as const, 'list links' as const), contact: thing }),
);

/** Values that only the service can know are taken from its first answer; from then on they must stay the same. */
function compare(asked: Step, answer: Answer, expected: Expected): void {
  expect([asked, answer.status]).toEqual([asked, expected.status]);
  if (expected.data === undefined) return;
  const { data } = answer.body;
  if (Array.isArray(data)) {
    expect(data).toEqual(expected.data);
    return;
  }
  const { updated_at: _, ...seen } = data;
  if (answer.status === 201) Object.assign(expected.data, { ...seen, ...expected.data });
  expect(seen).toEqual(expected.data);
}

/** What a sequence begins with, so that its steps find something to work on. */
const beginning: Step[] = [
  { do: 'add company', company: 0, fields: {} },
  { do: 'add company', company: 1, fields: {} },
  { do: 'create', resource: 'contacts', thing: 0, fields: { name: 'Kari' } },
  {
    do: 'create',
    resource: 'tasks',
    thing: 0,
    fields: { title: 'Ring', due_date: '2026-01-15T09:00:00.000Z', user_id: { user: 0 } },
  },
  {
    do: 'create',
    resource: 'offers',
    thing: 0,
    fields: { title: 'Avtale', user_id: { user: 0 }, company_id: { company: 0 } },
  },
];

/** Carries steps out in a workspace and in the model side by side. */
function createRun(workspace: Workspace) {
  const { client, owner, member } = workspace;
  const numbers = Array.from({ length: THINGS }, () => freshOrgnr());
  const ids = Array.from({ length: THINGS }, () => randomUUID());
  const model = createModel((id) => id === owner.id || id === member.id);

  const idOfCompany = (number: number) =>
    (model.things.companies.get(number)?.['id'] as string | undefined) ?? NOBODY;
  const path = (resource: Resource, number: number) =>
    `/${resource}/${resource === 'companies' ? numbers[number] : ids[number]}`;

  const idOf = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const name = value as Name;
    return 'user' in name ? [owner.id, member.id, NOBODY][name.user] : idOfCompany(name.company);
  };

  /** The fields with ids in place of names. */
  function resolved(fields: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, idOf(value)]));
  }

  async function take(asked: Step): Promise<void> {
    switch (asked.do) {
      case 'add company': {
        const fields = resolved(asked.fields);
        const answer = await client.post('/companies', { orgnr: numbers[asked.company], ...fields });
        return compare(asked, answer, model.addCompany(asked.company, fields));
      }
      case 'delete company':
      case 'restore company':
      case 'archive company': {
        const flag = asked.do === 'archive company' ? 'is_archived' : 'is_deleted';
        const value = asked.do !== 'restore company';
        if (!model.mark(asked.company, flag, value)) return;
        const own = [value, workspace.id, numbers[asked.company]];
        await world.query(`update companies set ${flag} = $1 where tenant_id = $2 and orgnr = $3`, own);
        return;
      }
      case 'list companies': {
        const answer = await client.get(`/companies?limit=${asked.limit}&offset=${asked.offset}`);
        expect(answer.body).toEqual(model.page(asked.limit, asked.offset));
        return;
      }
      case 'create': {
        const fields = { ...resolved(asked.fields), id: ids[asked.thing] };
        const answer = await client.post(`/${asked.resource}`, fields);
        return compare(asked, answer, model.create(asked.resource, asked.thing, fields));
      }
      case 'change': {
        const fields = resolved(asked.fields);
        const answer = await client.patch(path(asked.resource, asked.thing), fields);
        return compare(asked, answer, model.change(asked.resource, asked.thing, fields));
      }
      case 'read': {
        const answer = await client.get(path(asked.resource, asked.thing));
        return compare(asked, answer, model.read(asked.resource, asked.thing));
      }
      case 'add note': {
        const answer = await client.post(`${path('companies', asked.company)}/notes`, { text: 'Hei' });
        return compare(asked, answer, model.addNote(asked.company));
      }
      case 'add point': {
        const point = { type: 'mobile', label: '', value: asked.value };
        const answer = await client.post(`${path('contacts', asked.contact)}/points`, point);
        return compare(asked, answer, model.addTo(asked.contact, 'points', point));
      }
      case 'add link': {
        const link = { company_id: idOfCompany(asked.company), role: asked.role };
        const answer = await client.post(`${path('contacts', asked.contact)}/companies`, link);
        return compare(asked, answer, model.addTo(asked.contact, 'links', link));
      }
      case 'list points':
      case 'list links': {
        const list = asked.do === 'list points' ? 'points' : 'links';
        const answer = await client.get(
          `${path('contacts', asked.contact)}/${list === 'points' ? 'points' : 'companies'}`,
        );
        return compare(asked, answer, model.list(asked.contact, list));
      }
    }
  }

  return take;
}

test(
  'any sequence of requests leaves the workspace as the model has it',
  // At the usual number of runs, as long as any other test may take.
  { timeout: 7_500 * RUNS },
  async () => {
    const kinds = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: LONGEST, size: 'max' }), async (steps) => {
        const take = createRun(await world.workspace());
        for (const asked of [...beginning, ...steps]) {
          await take(asked);
          kinds.add(asked.do);
        }
      }),
      { numRuns: RUNS },
    );
    // Were a kind of step never drawn, the property would say nothing of it.
    expect(kinds.size).toBe(13);
  },
);
