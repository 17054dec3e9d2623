import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createCrm } from '../examples/crm.ts';
import { createForm } from '../examples/lead-form.ts';
import { startProxy } from './proxy.ts';
import { createWorld, type Workspace } from './world.ts';
import { freshOrgnr } from './workspace.ts';

const world = await createWorld();

/** What a visitor sees: the page, its problem, and the fields of its form. */
async function pageOf(answer: Promise<Response>) {
  const markup = await (await answer).text();
  const problem = /role="alert">(.*?)</.exec(markup)?.[1];
  const fields = Object.fromEntries(
    [...markup.matchAll(/<input[^>]* name="(\w+)"[^>]* value="([^"]*)"/g)].map(([, name, value]) => [
      name!,
      value!,
    ]),
  );
  return { markup, problem, fields };
}

/** A form of its own for a workspace, as a browser uses it. */
async function openForm(
  workspace: Workspace,
  {
    port = world.port,
    attempts = 3,
    patience = 3,
  }: { port?: number; attempts?: number; patience?: number } = {},
) {
  const address = `http://127.0.0.1:${port}/api/v1`;
  const { token } = await workspace.key([
    'companies:read',
    'companies:write',
    'contacts:read',
    'contacts:write',
  ]);
  const crm = createCrm({ address, key: token, attempts, patience });
  const form = createForm(crm);
  await new Promise<void>((resolve) => void form.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void form.close(() => resolve())));
  const origin = `http://127.0.0.1:${(form.address() as AddressInfo).port}`;
  return {
    find: (typed: string) => pageOf(fetch(`${origin}/?q=${encodeURIComponent(typed)}`)),
    send: (fields: Record<string, string>) =>
      pageOf(fetch(origin, { method: 'POST', body: new URLSearchParams(fields).toString() })),
    origin,
  };
}

/** Contacts with their details, companies and notes of a workspace. */
async function leadsOf({ client }: Workspace) {
  const [contacts, companies, notes] = await Promise.all([
    client.get('/contacts?include=points,links'),
    client.get('/companies'),
    client.get('/notes'),
  ]);
  return {
    contacts: contacts.body.data.map((contact: Record<string, object[]>) => ({
      name: contact['name'],
      points: contact['points']!.map((point: { value?: string }) => point.value),
      links: contact['links']!.length,
    })),
    companies: companies.body.data.map(({ status }: { status: string }) => status),
    notes: notes.body.data.map(({ content }: { content: { text: string } }) => content.text),
  };
}

const KARI = { name: 'Kari Nordmann', email: 'kari@example.no', telephone: '67 89 00 00', message: 'Ring!' };

const ONE_LEAD = {
  contacts: [{ name: 'Kari Nordmann', points: ['kari@example.no', '67 89 00 00'], links: 1 }],
  companies: ['lead'],
  notes: ['Kari Nordmann asks to be contacted.\nRing!'],
};

test('a number, typed as people type it, shows the company and leads to one lead', async () => {
  const workspace = await world.workspace();
  const form = await openForm(workspace);
  for (const typed of ['982463718', ' 982 463 718 ', 'NO982463718MVA']) {
    expect((await form.find(typed)).fields).toMatchObject({ company: 'TELENOR ASA', orgnr: '982463718' });
  }
  const { fields } = await form.find('982463718');
  const thanks = await form.send({ ...fields, ...KARI });
  expect(thanks.markup).toContain('Thank you, Kari Nordmann.');
  expect(await leadsOf(workspace)).toEqual(ONE_LEAD);
});

test('a name shows the companies that have it', async () => {
  const form = await openForm(await world.workspace());
  const { markup, problem } = await form.find('equinor');
  expect(problem).toBeUndefined();
  expect(markup).toContain('<a href="?q=923609016">EQUINOR ASA</a> 923 609 016 ASA');
});

test('the form is not cached: a visitor who goes back to it, and the next visitor, begin a new lead', async () => {
  const form = await openForm(await world.workspace());
  for (const path of ['/', '/?q=982463718'])
    expect((await fetch(form.origin + path)).headers.get('cache-control')).toBe('no-store');
});

test('a name that was changed and changed back is the one that is stored', async () => {
  const workspace = await world.workspace();
  const form = await openForm(workspace);
  const { fields } = await form.find('982463718');
  for (const name of ['Kari', 'Karen', 'Kari']) {
    const { problem } = await form.send({ ...fields, ...KARI, name, email: 'kari' });
    expect(problem).toMatch(/^Your e-mail address/);
  }
  await form.send({ ...fields, ...KARI, name: 'Kari' });
  expect((await leadsOf(workspace)).contacts).toMatchObject([{ name: 'Kari' }]);
});

test('a button pressed twice at once, and again later, makes one lead', async () => {
  const workspace = await world.workspace();
  // The second request is told to come back until the first has been answered.
  const form = await openForm(workspace, { attempts: 6, patience: 60 });
  const { fields } = await form.find(freshOrgnr());
  const pressed = () => form.send({ ...fields, ...KARI });
  const pages = [...(await Promise.all([pressed(), pressed()])), await pressed()];
  expect(pages.map(({ markup }) => markup.includes('Thank you'))).toEqual([true, true, true]);
  expect(await leadsOf(workspace)).toEqual(ONE_LEAD);
});

test.each([
  ['388444444', /found no active company with this number/],
  ['333333334', /found no active company with this number/],
  ['304444444', /was dissolved on 2024-03-09/],
  ['338555555', /try again in a minute/],
  ['no such name anywhere', /found no company of this name/],
  ['long '.repeat(21), /^The name must be at most 100 characters/],
])('%s is answered in words for a visitor', async (typed, words) => {
  const form = await openForm(await world.workspace());
  expect((await form.find(typed)).problem).toMatch(words);
});

test('a wrong field is named as the visitor knows it; what was typed stays, and once corrected it is one lead', async () => {
  const workspace = await world.workspace();
  const form = await openForm(workspace);
  const { fields } = await form.find('982463718');
  const wrong = await form.send({ ...fields, ...KARI, name: 'Kari <b>', email: 'kari@' });
  expect(wrong.problem).toMatch(/^Your e-mail address must be a valid email address/);
  expect(wrong.fields).toMatchObject({
    submission: fields['submission'],
    name: 'Kari &#60;b&#62;',
    email: 'kari@',
    telephone: KARI.telephone,
  });
  const blank = await form.send({ ...fields, ...KARI, name: ' ' });
  expect(blank.problem).toMatch(/^Your name must not be blank/);
  await form.send({ ...fields, ...KARI });
  expect(await leadsOf(workspace)).toEqual(ONE_LEAD);
});

test('a form sent with the id of an existing contact does not rename it', async () => {
  const workspace = await world.workspace();
  const form = await openForm(workspace);
  const { id } = await workspace.contact({ name: 'Ola' });
  const { fields } = await form.find('982463718');
  await form.send({ ...fields, ...KARI, submission: id });
  expect((await workspace.client.get(`/contacts/${id}`)).body.data.name).toBe('Ola');
});

test('a deleted company and an unavailable service are reported in words', async () => {
  const workspace = await world.workspace();
  const { orgnr } = await workspace.company();
  await workspace.deleteCompany(orgnr);
  const line = await startProxy({ host: '127.0.0.1', port: world.port });
  onTestFinished(() => line.stop());
  const form = await openForm(workspace, { port: line.port });
  const lead = { ...KARI, submission: randomUUID(), orgnr, company: 'X AS' };
  expect((await form.send(lead)).problem).toMatch(/send an e-mail to post@example\.no/);
  line.refuse();
  const { problem, fields } = await form.send({ ...lead, orgnr: freshOrgnr() });
  expect(problem).toMatch(/try again in a minute/);
  expect(fields).toMatchObject({ name: KARI.name, email: KARI.email });
});

test.each(['//', 'http://['])('the path %s, which is no address, shows the search', async (path) => {
  const form = await openForm(await world.workspace());
  const asked = request(form.origin, { path }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  expect(await text(answer)).toContain('name="q"');
});

test('a large body is refused', async () => {
  const form = await openForm(await world.workspace());
  const large = await fetch(form.origin, { method: 'POST', body: 'x'.repeat(200_000) });
  expect(large.status).toBe(413);
});
