// What requests and commands answer under the id of a contact that was merged into another.
import { expect, test } from 'vitest';
import { endWithFile, kundebokHere } from '../../test/service.ts';
import { createWorld } from '../../test/world.ts';

endWithFile();
const world = await createWorld();
const settings = { DATABASE_URL: world.databaseUrl };

/** A contact that was merged into another, to which its detail and its link belong now. */
async function mergeTwo() {
  const workspace = await world.workspace();
  const { client } = workspace;
  const [kept, gone] = [await workspace.contact(), await workspace.contact()];
  const path = `/contacts/${gone.id}`;
  const detail = { type: 'mobile', value: '900 11 222' };
  const point = (await client.post(`${path}/points`, detail)).body.data;
  const { id: company_id } = await workspace.company();
  const link = (await client.post(`${path}/companies`, { company_id })).body.data;
  const browser = await workspace.signIn();
  await browser.post(`/contacts/${kept.id}/merge`, { other_id: gone.id });
  return { workspace, browser, client, kept, gone, path, point, link, company_id };
}

test('every request under the old id is 404 with the new one, and changes nothing', async () => {
  const { client, kept, path, point, link, company_id } = await mergeTwo();
  const parts = `/contacts/${kept.id}`;
  const read = async () => [
    (await client.get(`${parts}/points`)).body,
    (await client.get(`${parts}/companies`)).body,
  ];
  const before = await read();
  const [pointPath, linkPath] = [`${path}/points/${point.id}`, `${path}/companies/${link.id}`];
  const json = { 'content-type': 'application/json' };
  const requests: [method: string, path: string, body?: object][] = [
    ['GET', path],
    ['PATCH', path, { name: 'Kari' }],
    ['DELETE', path],
    ['GET', `${path}/points`],
    ['POST', `${path}/points`, { type: 'mobile', value: '900 33 444' }],
    ['PATCH', pointPath, { value: '900 33 444' }],
    ['DELETE', pointPath],
    ['GET', `${path}/companies`],
    ['POST', `${path}/companies`, { company_id }],
    ['PATCH', linkPath, { role: 'Leder' }],
    ['PATCH', linkPath, { company_id }],
    ['DELETE', linkPath],
  ];
  const answers: unknown[] = [];
  for (const [method, at, body] of requests)
    for (const condition of [{}, { 'if-match': '"1-1"' }]) {
      const { status, body: problem } = await client.send({
        method,
        path: at,
        headers: { ...condition, ...(body && json) },
        ...(body && { body: JSON.stringify(body) }),
      });
      answers.push([method, at, status, problem?.details]);
    }
  const details = [{ field: 'merged_into', message: kept.id }];
  const expected = requests.map(([method, at]) => [method, at, 404, details]);
  expect(answers).toEqual(expected.flatMap((one) => [one, one]));
  expect(await read()).toEqual(before);
});

test('contact erase and contact export under the old id name the new one', async () => {
  const { workspace, client, kept, gone } = await mergeTwo();
  for (const command of ['erase', 'export'])
    expect(
      await kundebokHere(['contact', command, gone.id, '--workspace', workspace.id], settings),
    ).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Contact ${gone.id} was merged into ${kept.id}: use that id\n`,
    });
  expect((await client.get(`/contacts/${kept.id}`)).status).toBe(200);
});

test('contact export has what changed under the ids of contacts that were merged into this one', async () => {
  const { workspace, browser, client, kept, gone } = await mergeTwo();
  const last = await workspace.contact();
  await workspace.contact();
  await browser.post(`/contacts/${last.id}/merge`, { other_id: kept.id });
  const args = ['contact', 'export', last.id, '--workspace', workspace.id];
  const { changes } = JSON.parse((await kundebokHere(args, settings)).stdout);
  const ids = [gone.id, kept.id, last.id];
  const expected = (await client.get('/changes')).body.data.filter(({ contact_id }: { contact_id: string }) =>
    ids.includes(contact_id),
  );
  expect(new Set(expected.map(({ contact_id }: { contact_id: string }) => contact_id))).toEqual(new Set(ids));
  expect(changes).toEqual(expected);
});
