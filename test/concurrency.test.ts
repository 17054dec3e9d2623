import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { RegisterUnavailable, type Register } from '../src/register/register.ts';
import { sandboxRegister } from '../src/register/sandbox/sandbox.ts';
import type { Answer, Client } from './client.ts';
import { untilProcessed } from './until-processed.ts';
import { createWorld, type Workspace } from './world.ts';
import { freshOrgnr } from './workspace.ts';

const world = await createWorld();
const other = await world.start();

const companiesOf = ({ id }: Workspace) => world.query('select from companies where tenant_id = $1', [id]);

const statusesOf = (answers: Answer[]) =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, those]) => [status, those.length]),
  );

/** The same key on both servers, in turn. */
function onBoth(token: string): (number: number) => Client {
  const clients = [world.client(token), other.client(token)];
  return (number) => clients[number % 2]!;
}

const times = <T>(count: number, make: (number: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, number) => make(number)));

/** What so many requests at once are answered. */
const answersTo = (count: number, ask: (number: number) => Promise<Answer>): Promise<Answer[]> =>
  times(count, (number) => untilProcessed(() => ask(number)));

describe('200 parallel requests for a company of one number, on two servers', () => {
  test('make one company: one 201, all others 200 with the same company', async () => {
    for (let round = 0; round < 5; round++) {
      const workspace = await world.workspace();
      const client = onBoth(workspace.client.token!);
      const orgnr = freshOrgnr();
      const answers = await answersTo(200, (number) => client(number).post('/companies', { orgnr }));
      expect(statusesOf(answers)).toEqual({ 200: 199, 201: 1 });
      expect(answers.filter(({ body }) => body.created)).toHaveLength(1);
      expect(new Set(answers.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
      expect(await companiesOf(workspace)).toHaveLength(1);
    }
  });

  test('make one company although several asked the register before any was made', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    let asked = 0;
    const register: Register = {
      ...sandboxRegister(),
      async find(orgnr) {
        asked++;
        await opened;
        return sandboxRegister().find(orgnr);
      },
    };
    const [one, two] = [await world.start({ register }), await world.start({ register })];
    const workspace = await world.workspace();
    const clients = [one, two].map((running) => running.client(workspace.client.token));
    const orgnr = freshOrgnr();
    const answers = answersTo(50, (number) => clients[number % 2]!.post('/companies', { orgnr }));
    await expect.poll(() => asked).toBeGreaterThan(1);
    open();
    expect(statusesOf(await answers)).toEqual({ 200: 49, 201: 1 });
    expect(await companiesOf(workspace)).toHaveLength(1);
  });

  test('make at most one company while the register fails every other time', async () => {
    let asked = 0;
    const register: Register = {
      ...sandboxRegister(),
      async find(orgnr) {
        if (asked++ % 2 === 0) throw new RegisterUnavailable('busy', 1);
        return sandboxRegister().find(orgnr);
      },
    };
    const workspace = await world.workspace(await world.start({ register }));
    const orgnr = freshOrgnr();
    const answers = await times(60, () => workspace.client.post('/companies', { orgnr }));
    const { 201: created = 0, 200: found = 0, 503: failed = 0 } = statusesOf(answers);
    expect([created, created + found + failed]).toEqual([1, 60]);
    expect(failed).toBeGreaterThan(0);
    expect((await workspace.client.post('/companies', { orgnr })).status).toBe(200);
  });
});

describe.each(['contacts', 'tasks', 'offers'])(
  '100 parallel creations of %s with one id, on two servers',
  (resource) => {
    test('make one: one 201, all others 409, and the body of the first is kept', async () => {
      const [workspace, elsewhere] = [await world.workspace(), await world.workspace()];
      const [company, theirs] = [await workspace.company(), await elsewhere.company()];
      const id = randomUUID();
      const bodyOf = (name: string, { owner }: typeof workspace, company_id: string) =>
        ({
          contacts: { id, name },
          tasks: { id, title: name, user_id: owner.id, due_date: '2026-01-15T09:00Z' },
          offers: { id, title: name, user_id: owner.id, company_id },
        })[resource];
      const foreign = await elsewhere.client.post(`/${resource}`, bodyOf('foreign', elsewhere, theirs.id));
      expect(foreign.status).toBe(201);

      const client = onBoth(workspace.client.token!);
      const answers = await answersTo(100, (number) =>
        client(number).post(`/${resource}`, bodyOf(`number ${number}`, workspace, company.id)),
      );
      expect(statusesOf(answers)).toEqual({ 201: 1, 409: 99 });
      expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set([undefined, 'id_already_used']));
      const winner = answers.find(({ status }) => status === 201)!;
      expect((await workspace.client.get(`/${resource}/${id}`)).body).toEqual(winner.body);
      expect((await elsewhere.client.get(`/${resource}/${id}`)).body).toEqual(foreign.body);
    });
  },
);

test('parallel notes, contact details and links are all added, each with an id of its own', async () => {
  const workspace = await world.workspace();
  const client = onBoth(workspace.client.token!);
  const [company, contact] = [await workspace.company(), await workspace.contact()];
  for (const [path, body] of [
    [`/companies/${company.orgnr}/notes`, { text: 'Hei' }],
    [`/contacts/${contact.id}/points`, { type: 'mobile', value: '1' }],
    [`/contacts/${contact.id}/companies`, { company_id: company.id }],
  ] as const) {
    const answers = await answersTo(60, (number) => client(number).post(path, body));
    expect(statusesOf(answers)).toEqual({ 201: 60 });
    expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(60);
  }
  expect((await workspace.client.get(`/contacts/${contact.id}/points`)).body.data).toHaveLength(60);
  expect((await workspace.client.get(`/contacts/${contact.id}/companies`)).body.data).toHaveLength(60);
});

test('parallel changes of an offer’s status happen once or are refused; accepted ones have weight 100', async () => {
  // Citus takes no triggers on shards: there, the change log gives the same changes.
  const { isCitus } = inject('postgres');
  if (!isCitus)
    await world.query(`
    create table offer_history (id bigint generated always as identity, offer uuid, before text, after text, weight int);
    create function keep_offer_history() returns trigger language plpgsql as $$
    begin
      insert into offer_history (offer, before, after, weight) values (new.id, old.status, new.status, new.weight);
      return null;
    end $$;
    create trigger offers_history after update on offers for each row execute function keep_offer_history();
  `);
  const workspace = await world.workspace();
  const client = onBoth(workspace.client.token!);
  const { id } = await workspace.offer();
  const statuses = ['new', 'sent', 'negotiating', 'accepted', 'rejected'];
  const answers: { asked: string; answer: Answer }[] = [];
  await times(16, async (writer) => {
    for (let round = 0; round < 15; round++) {
      const asked = statuses[(writer * 7 + round * 3) % statuses.length]!;
      // Another revenue each time: a change to what is there already would be none.
      const one_time_revenue = writer * 1_000 + round + 1;
      const answer = await client(writer).patch(`/offers/${id}`, {
        status: asked,
        weight: writer,
        one_time_revenue,
      });
      answers.push({ asked, answer });
      const { body } = await client(writer + 1).get(`/offers/${id}`);
      if (body.data.status === 'accepted') expect(body.data.weight).toBe(100);
    }
  });
  for (const { asked, answer } of answers) {
    if (answer.status === 200) expect(answer.body.data.status).toBe(asked);
    else expect([answer.status, answer.body.code]).toEqual([409, 'status_conflict']);
  }
  const won = answers.filter(({ answer }) => answer.status === 200);
  const history = await (isCitus
    ? readMoves(id)
    : world.query('select * from offer_history where offer = $1 order by id', [id]));
  const moves: string[] = history.map(({ after }) => after);
  expect(moves.toSorted()).toEqual(won.map(({ asked }) => asked).toSorted());
  history.reduce((before, row) => {
    expect(row.before).toBe(before);
    if (row.after === 'accepted') expect(row.weight).toBe(100);
    return row.after;
  }, 'new');
  expect(won.length).toBeGreaterThan(0);
});

/** Status and weight of an offer before and after each change, from the change log. */
async function readMoves(id: string) {
  const rows = await world.query('select "values" from changes where resource_id = $1 order by draw', [id]);
  let [status, weight] = ['', 0];
  const moves = rows.map(({ values }) => {
    const before = status;
    [status, weight] = [values.status?.[1] ?? status, values.weight?.[1] ?? weight];
    return { before, after: status, weight };
  });
  return moves.slice(1);
}

test('clients that change different fields of one row at once lose nothing', async () => {
  const workspace = await world.workspace();
  const client = onBoth(workspace.client.token!);
  const company = await workspace.company({ phone_number: '0', mobile_number: '0', website_url: '0' });
  const [task, contact, offer] = [await workspace.task(), await workspace.contact(), await workspace.offer()];
  const rows: [path: string, fields: Record<string, (round: number) => unknown>][] = [
    [
      `/companies/${company.orgnr}`,
      {
        phone_number: String,
        mobile_number: String,
        website_url: (round) => (round % 2 ? String(round) : null),
      },
    ],
    [`/tasks/${task.id}`, { title: String, description: String, completed: (round) => round % 2 === 1 }],
    [`/contacts/${contact.id}`, { name: String, notes: String }],
    [
      `/offers/${offer.id}`,
      { title: String, description: String, one_time_revenue: Number, weight: (round) => round % 100 },
    ],
  ];
  const last = 40;
  const writers = rows.flatMap(([path, fields]) => Object.entries(fields).map((field) => ({ path, field })));
  await times(writers.length, async (number) => {
    const {
      path,
      field: [name, valueOf],
    } = writers[number]!;
    for (let round = 1; round <= last; round++) {
      const { status, body } = await client(number + round).patch(path, { [name]: valueOf(round) });
      expect([name, status, body.data[name]]).toEqual([name, 200, valueOf(round)]);
    }
  });
  for (const [path, fields] of rows) {
    const { body } = await workspace.client.get(path);
    const expected = Object.fromEntries(
      Object.entries(fields).map(([name, valueOf]) => [name, valueOf(last)]),
    );
    expect(body.data).toMatchObject(expected);
  }
});

test('64 writers on two connections all get through, and readers beside them', async () => {
  const workspace = await world.workspace(await world.start({ databaseConnections: 2 }));
  const { client, owner } = workspace;
  const [company, contact] = [await workspace.company(), await workspace.contact()];
  const requests: (() => Promise<Answer>)[] = [
    () => client.post('/companies', { orgnr: freshOrgnr(), assigned_to: owner.id }),
    () => client.post(`/contacts/${contact.id}/companies`, { company_id: company.id }),
    () => client.post('/offers', { id: randomUUID(), title: 'x', user_id: owner.id, company_id: company.id }),
    () => client.patch(`/companies/${company.orgnr}`, { assigned_to: owner.id }),
    () => client.get('/companies'),
  ];
  const answers = await times(64, async (writer) => {
    const own: Answer[] = [];
    for (let round = 0; round < 5; round++)
      own.push(await untilProcessed(requests[(writer + round) % requests.length]!));
    return own;
  });
  expect(new Set(answers.flat().map(({ status }) => status))).toEqual(new Set([200, 201]));
});
