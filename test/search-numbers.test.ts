import { beforeAll, expect, test } from 'vitest';
import { walk } from './walk.ts';
import type { Workspace } from './workspace.ts';
import { createWorld } from './world.ts';

const world = await createWorld();
let workspace: Workspace;

beforeAll(async () => {
  workspace = await world.workspace();
  const { client, contact } = workspace;
  await client.post('/companies', { orgnr: '923609016' });
  const points: [string, object][] = [
    ['Kari Nordmann', { type: 'mobile', value: '+47 900 12 345' }],
    ['José Ærøe', { type: 'telephone', value: '+46 (70) 123' }],
    ['Nils Berg', { type: 'email', value: '55.7-1@example.no' }],
    ['Per Lund', { type: 'telephone', value: '55 71 22 33' }],
  ];
  for (const [name, point] of points) {
    const { id } = await contact({ name });
    await client.post(`/contacts/${id}/points`, point);
  }
});

async function found(path: string, q: string): Promise<string[]> {
  const rows = await walk(workspace.client, `${path}?q=${encodeURIComponent(q)}`);
  return rows.map(({ name }) => name);
}

test.each([
  '923 609 016',
  // As Norwegian texts and spreadsheets group digits.
  '923\u{A0}609\u{A0}016',
  '923\u{202F}609\u{202F}016',
  '923\t609\t016',
  '923.609.016',
  '923-609',
])('a company by its number, written %j', async (q) => {
  expect(await found('/companies', q)).toEqual(['EQUINOR ASA']);
});

test.each([
  ['+47\u{A0}900\u{A0}12\u{A0}345', ['Kari Nordmann']],
  ['(+47) 900 12 345', ['Kari Nordmann']],
  ['(0047)90012345', ['Kari Nordmann']],
  ['47-900-12-345', ['Kari Nordmann']],
  ['900-12', ['Kari Nordmann']],
  // As a telephone copies a number: between marks of text direction.
  ['\u{202A}+47 900 12 345\u{202C}', ['Kari Nordmann']],
  ['+46 (70) 1', ['José Ærøe']],
  ['55.7-1', ['Nils Berg', 'Per Lund']],
  ['55.7-1@', ['Nils Berg']],
  ['55@', []],
  ['(+47)', []],
  ['900/13', []],
])('contacts by a number or the start of an address, written %j', async (q, names) => {
  expect(await found('/contacts', q)).toEqual(names);
});
