import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { kundebok, endWithFile } from '../../test/service.ts';
import { createWorld } from '../../test/world.ts';

endWithFile();
const world = await createWorld();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-person-'));
afterAll(() => rm(folder, { recursive: true }));
const settings = { DATABASE_URL: world.databaseUrl };

test('contact export writes what is held under a person, and nothing of others', async () => {
  const workspace = await world.workspace();
  const { client } = workspace;
  const company = await workspace.company();
  const contact = await workspace.contact({ name: 'Kari Nordmann', notes: 'Foretrekker e-post' });
  await workspace.contact({ name: 'Ola Hansen' });
  const point = (await client.post(`/contacts/${contact.id}/points`, { type: 'mobile', value: '900' })).body
    .data;
  const link = (await client.post(`/contacts/${contact.id}/companies`, { company_id: company.id })).body.data;
  const path = join(folder, 'kari.json');
  const args = ['contact', 'export', contact.id, '--workspace', workspace.id];
  const toFile = await kundebok([...args, path], settings);
  expect(toFile).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const written = JSON.parse(await readFile(path, 'utf8'));
  const changes = (await client.get('/changes')).body.data.filter(
    ({ contact_id }: { contact_id: string }) => contact_id === contact.id,
  );
  expect(changes).toHaveLength(3);
  expect(written).toEqual({
    exported_at: expect.any(String),
    workspace_id: workspace.id,
    contact,
    points: [point],
    links: [{ ...link, company: { orgnr: company.orgnr, name: company.name } }],
    changes,
  });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const { stdout } = await kundebok(args, settings);
  expect(JSON.parse(stdout)).toEqual({ ...written, exported_at: expect.any(String) });
  expect(await kundebok([...args, path], settings)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('already exists'),
  });
  await client.send({ method: 'DELETE', path: `/contacts/${contact.id}` });
  expect(await kundebok(args, settings)).toMatchObject({
    code: 1,
    stderr: `Workspace ${workspace.id} has no contact ${contact.id}\n`,
  });
});
