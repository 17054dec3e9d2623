import { randomUUID } from 'node:crypto';
import type { Answer, Client } from '../client.ts';
import { startProxy } from '../proxy.ts';
import { freshOrgnr, type Workspace } from '../workspace.ts';
import { takeNotes, tally, type Outcome } from './outcome.ts';
import { openStage, type Stage } from './stage.ts';

const times = <T>(count: number, make: (number: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, number) => make(number)));

/** Two processes, one workspace, and its key on both in turn. */
async function openPair(stage: Stage): Promise<{ workspace: Workspace; on: (number: number) => Client }> {
  const services = [await stage.service(), await stage.service()];
  const workspace = await stage.workspace(services[0]!);
  const clients = services.map((service) => service.client(workspace.client.token));
  return { workspace, on: (number) => clients[number % 2]! };
}

/** Sends a request again while the service is too busy for it: the tests are about which request wins. */
async function insist(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
  }
}

/** Test 19: 200 requests at once create a company of the same number, on two processes. */
export async function raceForCompany({ rounds }: { rounds: number }): Promise<Outcome> {
  const notes = takeNotes();
  await using stage = await openStage();
  const { on, workspace } = await openPair(stage);
  const wrong: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const orgnr = freshOrgnr();
    const answers = await times(200, (number) => insist(() => on(number).post('/companies', { orgnr })));
    const statuses = tally(answers.map(({ status }) => status));
    const ids = new Set(answers.map(({ body }) => body.data?.id));
    if (statuses !== '200 × 199, 201 × 1' || ids.size !== 1) wrong.push(`${statuses}; ${ids.size} ids`);
  }
  const [{ n }] = await stage.query('select count(*)::int as n from companies where tenant_id = $1', [
    workspace.id,
  ]);
  notes.note('rounds of 200', rounds);
  notes.demand(wrong.length === 0, 'rounds with another outcome', wrong);
  notes.demand(n === rounds, 'companies', n);
  return notes;
}

/** Test 20: 200 requests at once create a contact, task or offer with the same id, on two processes. */
export async function raceForId({ rounds }: { rounds: number }): Promise<Outcome> {
  const notes = takeNotes();
  await using stage = await openStage();
  const { on, workspace } = await openPair(stage);
  const company = (await workspace.company()).id;
  const wrong: string[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const resource of ['contacts', 'tasks', 'offers'] as const) {
      const id = randomUUID();
      const body = (number: number) =>
        ({
          contacts: { id, name: `${number}` },
          tasks: { id, title: `${number}`, user_id: workspace.owner.id, due_date: '2026-01-15T09:00Z' },
          offers: { id, title: `${number}`, user_id: workspace.owner.id, company_id: company },
        })[resource];
      const answers = await times(200, (number) =>
        insist(() => on(number).post(`/${resource}`, body(number))),
      );
      const statuses = tally(answers.map(({ status }) => status));
      const kept = (await workspace.client.get(`/${resource}/${id}`)).text;
      const isFirst = answers.some(({ status, text }) => status === 201 && text === kept);
      if (statuses !== '201 × 1, 409 × 199' || !isFirst) wrong.push(`${resource}: ${statuses}, ${isFirst}`);
    }
  }
  notes.note('rounds of 3 × 200', rounds);
  notes.demand(wrong.length === 0, 'rounds with another outcome', wrong);
  return notes;
}

/** Test 21: the answer is cut off after the commit; the client repeats. */
export async function cutAnswers({ rounds }: { rounds: number }): Promise<Outcome> {
  const notes = takeNotes();
  await using stage = await openStage();
  const service = await stage.service();
  const line = await startProxy({ host: '127.0.0.1', port: service.port });
  stage.defer(() => line.stop());
  const workspace = await stage.workspace(service);
  const far = { ...service, origin: `http://127.0.0.1:${line.port}` };
  const [company, contact] = [await workspace.company(), await workspace.contact()];
  const wrong: string[] = [];
  const own = { user_id: workspace.owner.id };
  for (let round = 0; round < rounds; round++) {
    const [id, mark] = [randomUUID(), randomUUID()];
    const orgnr = freshOrgnr();
    const writes: [path: string, body: object, mark: string, repeat: number, key?: string][] = [
      ['/contacts', { id, name: mark }, mark, 409],
      ['/tasks', { id, title: mark, due_date: '2026-01-15T09:00Z', ...own }, mark, 409],
      ['/offers', { id, title: mark, company_id: company.id, ...own }, mark, 409],
      ['/companies', { orgnr }, orgnr, 200],
      [`/companies/${company.orgnr}/notes`, { text: mark }, mark, 201, randomUUID()],
      [`/contacts/${contact.id}/points`, { type: 'other', label: 'x', value: mark }, mark, 201, randomUUID()],
    ];
    for (const [path, body, sent, repeat, key] of writes) {
      const headers = {
        authorization: `Bearer ${workspace.client.token}`,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      };
      const post = (origin: string) =>
        fetch(`${origin}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      line.cutAfter(sent);
      const first = await post(far.origin).then(
        ({ status }) => status,
        () => 'cut',
      );
      const { status } = await post(service.origin);
      if (first !== 'cut' || status !== repeat) wrong.push(`${path}: ${first}, then ${status}`);
    }
  }
  const counts = await stage.query(
    `select (select count(*) from contact_points where tenant_id = $1)::int as points,
       (select count(*) from timeline_entries where tenant_id = $1 and type = 'add_comment')::int as notes,
       (select count(*) from contacts where tenant_id = $1)::int - 1 as contacts`,
    [workspace.id],
  );
  notes.note('answers cut', rounds * 6);
  notes.demand(wrong.length === 0, 'other outcomes', wrong.slice(0, 5));
  const { points, notes: written, contacts } = counts[0];
  notes.demand(
    [points, written, contacts].every((n) => n === rounds),
    `rows of ${rounds}`,
    [points, written, contacts],
  );
  return notes;
}

/** Test 23: two clients change different fields of one row. */
export async function changeTogether({ changes }: { changes: number }): Promise<Outcome> {
  const notes = takeNotes();
  await using stage = await openStage();
  const { on, workspace } = await openPair(stage);
  const { id } = await workspace.contact({ notes: 'as it was' });
  const task = (await workspace.task()).id;
  const wrong: string[] = [];
  await times(4, async (writer) => {
    const [path, field] = [
      [`/contacts/${id}`, 'name'],
      [`/contacts/${id}`, 'notes'],
      [`/tasks/${task}`, 'title'],
      [`/tasks/${task}`, 'description'],
    ][writer]!;
    for (let change = 1; change <= changes / 4; change++) {
      const value = field === 'description' && change % 2 === 0 ? null : `${change}`;
      const { status, body } = await insist(() => on(writer + change).patch(path!, { [field!]: value }));
      if (status !== 200 || body.data[field!] !== value) wrong.push(`${field} ${change}: ${status}`);
    }
  });
  const { data: contact } = (await workspace.client.get(`/contacts/${id}`)).body;
  const { data } = (await workspace.client.get(`/tasks/${task}`)).body;
  const last = String(Math.floor(changes / 4));
  notes.note('changes', changes);
  notes.demand(wrong.length === 0, 'lost', wrong.slice(0, 5));
  const isLast = contact.name === last && contact.notes === last && data.title === last;
  notes.demand(isLast, 'last values kept', isLast);
  return notes;
}
