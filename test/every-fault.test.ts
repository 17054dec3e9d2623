import { expect, test } from 'vitest';
import { fieldsAtFault } from './ask.ts';
import { createWorld } from './world.ts';

const world = await createWorld();
const workspace = await world.workspace();

test.each([
  ['GET', '/companies?offset=1&sort=bogus', ['offset', 'sort']],
  ['GET', '/companies?offset=x&sort=bogus', ['offset', 'sort']],
  ['GET', '/companies?limit=0&q=%ff', ['limit', 'q']],
  ['GET', '/companies?limit=%ff&q=%ff&q=%fe', ['limit', 'q']],
  ['GET', '/register?q=%ff', ['q']],
  ['GET', '/contacts?limit=0&cursor=zz', ['cursor', 'limit']],
  ['GET', '/users?email=x&cursor=W10x', ['cursor', 'email']],
  ['GET', '/changes?limit=0&cursor=zz', ['cursor', 'limit']],
  ['POST', '/contacts', ['name', 'notes', 'zz'], '{"name":"a","name":"b","zz":1,"notes":null}'],
  ['POST', '/contacts', ['name'], '{"name":"a","name":7}'],
  ['PATCH', '/companies/x?y=1', ['orgNr', 'stage', 'y'], '{"stage":"customer","stage":"customer"}'],
])('%s %s names each field at fault, once', async (method, path, fields, body?: string) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await workspace.client.send({ method, path, ...(body && { headers, body }) });
  expect([answer.status, fieldsAtFault(answer)]).toEqual([400, fields]);
});
