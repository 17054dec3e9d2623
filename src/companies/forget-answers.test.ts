import { expect, inject, test } from 'vitest';
import { openClient } from '../../test/database.ts';
import { createMirroredRegister, unit } from '../../test/mirrored-register.ts';
import { explain, PLANS, rowsRead } from '../../test/plans.ts';
import { sendWithKey } from '../../test/repeats.ts';
import { vacuum } from '../../test/vacuum.ts';
import { valuesOf } from '../db/statement.ts';
import { findEnd, forgetPage, PAGE } from './forget-answers.ts';

const { world, sync, announce, companyOf } = await createMirroredRegister();

/** Answers about other companies: many times as many as a statement reads. */
const OTHERS = 20_500;

async function rememberOthers(workspace: string): Promise<void> {
  await world.query(
    `insert into remembered_answers (tenant_id, scope, idempotency_key, fingerprint, body, status)
     select $1, n % 3, n, '', '{"data":{"id":"1","orgnr":"' || 100000000 + n || '"},"created":true}', 201
     from generate_series(1, $2::integer) as n`,
    [workspace, OTHERS],
  );
}

test('a company whose unit is removed is in none of many remembered answers', async () => {
  const gone = unit({ org_form: 'ENK', name: 'KARI NORDMANN' });
  const { id, client } = await companyOf(gone);
  await rememberOthers(id);
  const post = (key: string) =>
    sendWithKey(client, { method: 'POST', path: '/companies', body: { orgnr: gone.orgnr } }, key);
  await post('k');
  await world.query(
    `insert into remembered_answers (tenant_id, scope, idempotency_key, fingerprint, body, status)
     select tenant_id, at, 'copy', fingerprint, body, status from remembered_answers, unnest('{!,1,z}'::text[]) as at
     where tenant_id = $1 and idempotency_key = 'k'`,
    [id],
  );
  announce(gone.orgnr, 'Fjernet');
  await sync();
  expect(await post('k')).toMatchObject({ status: 410, body: { code: 'erased' } });
  const counts = await world.query(
    `select count(*)::int as total, count(body)::int as kept, count(fingerprint)::int as repeatable
     from remembered_answers where tenant_id = $1`,
    [id],
  );
  expect(counts).toEqual([{ total: OTHERS + 4, kept: OTHERS, repeatable: OTHERS }]);
});

// On Citus `explain` is no JSON for such statements.
test.skipIf(inject('postgres').isCitus)('no statement reads more than a page of the answers', async () => {
  const { id } = await world.workspace();
  await rememberOthers(id);
  await vacuum(world, ['remembered_answers']);
  await using client = await openClient(world.databaseUrl);
  const start = { tenant: id, scope: '', key: '' };
  const { rows } = await client.query(findEnd.text, valuesOf(findEnd, start));
  const until = { until_scope: rows[0].scope, until_key: rows[0].key };
  const page = { ...start, ...until, orgnrs: ['999999999'] };
  const [generic, custom] = PLANS;
  for (const [text, values, mode] of [
    // It has no name, so it is planned each time.
    [findEnd.text, valuesOf(findEnd, start), custom],
    [forgetPage.text, valuesOf(forgetPage, page), custom],
    [forgetPage.text, valuesOf(forgetPage, page), generic],
  ] as const) {
    const literals = values.map((value) =>
      client.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : String(value)),
    );
    const plan = await explain(client, text, literals, mode);
    const scans = plan.filter((node) => node['Relation Name'] === 'remembered_answers');
    expect([mode, text, rowsRead(scans)]).toEqual([mode, text, PAGE]);
  }
});
