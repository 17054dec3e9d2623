import { expect, test } from 'vitest';
import { holdRow } from '../../test/locks.ts';
import { createWorld, type Workspace } from '../../test/world.ts';
import type { Answer, Client } from '../../test/client.ts';

const world = await createWorld();

/** A row that a request finds gone, and that is there again when it looks why. */
async function answerWhileGone(
  { id: tenant }: Workspace,
  { table, id, ask }: { table: string; id: string; ask: () => Promise<Answer> },
): Promise<[number, string]> {
  const columns = await world.query(
    `select quote_ident(column_name) as name from information_schema.columns
     where table_name = $1 and is_generated = 'NEVER'`,
    [table],
  );
  const names = columns.map(({ name }) => name).join();
  const where = `where tenant_id = '${tenant}' and id = '${id}'`;
  const text = `select from ${table} where tenant_id = $1 and id = $2 for update`;
  const row = await holdRow(world.databaseUrl, text, [tenant, id]);
  const asked = ask();
  await row.awaited();
  await row.run(`create temp table kept on commit drop as select * from ${table} ${where}`);
  if (table === 'companies') await row.run(`delete from timeline_entries where tenant_id = '${tenant}'`);
  await row.run(`delete from ${table} ${where}`);
  await row.run(`insert into ${table} (${names}) overriding system value select ${names} from kept`);
  await row.commit();
  const { status, body } = await asked;
  return [status, body.code];
}

const CASES: Record<
  string,
  (workspace: Workspace, person: Client) => Promise<Parameters<typeof answerWhileGone>[1]>
> = {
  async 'a company'({ company, client }) {
    const { id, orgnr } = await company();
    return { table: 'companies', id, ask: () => client.patch(`/companies/${orgnr}`, { status: 'customer' }) };
  },
  async 'a company that is deleted'({ company }, person) {
    const { id, orgnr } = await company();
    return { table: 'companies', id, ask: () => person.delete(`/companies/${orgnr}`) };
  },
  async 'a contact'({ contact, client }) {
    const { id } = await contact();
    return { table: 'contacts', id, ask: () => client.patch(`/contacts/${id}`, { notes: 'Leder' }) };
  },
  async 'a task'({ task, client }) {
    const { id } = await task();
    return { table: 'tasks', id, ask: () => client.patch(`/tasks/${id}`, { completed: true }) };
  },
  async 'a task that is deleted'({ task }, person) {
    const { id } = await task();
    return { table: 'tasks', id, ask: () => person.delete(`/tasks/${id}`) };
  },
  async 'an offer'({ offer, client }) {
    const { id } = await offer();
    return { table: 'offers', id, ask: () => client.patch(`/offers/${id}`, { weight: 40 }) };
  },
};

test.each(Object.keys(CASES))('%s that is gone for a moment is 404, not 412 or 409', async (name) => {
  const workspace = await world.workspace();
  const asked = await CASES[name]!(workspace, await workspace.signIn());
  expect(await answerWhileGone(workspace, asked)).toEqual([404, 'not_found']);
});
