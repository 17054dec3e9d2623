import { describe, expect, test } from 'vitest';
import { importFile } from '../../../test/import-file.ts';
import { createMirroredRegister, unit } from '../../../test/mirrored-register.ts';
import { holding, saying } from '../../../test/register-misbehaviour.ts';
import { deletedRecordOf, recordOf } from '../../../test/register-records.ts';
import { companiesFollow } from '../../companies/follow-register.ts';
import type { RegisterAnswer, Unit } from '../register.ts';
import { mirroredRegister } from './look-up.ts';

const { world, now, sync, mirrored, announce, companyOf, service } = await createMirroredRegister();

/** Creates a company. The register's answer is as of the request, and comes only when `answer` is called. */
async function lateCreate({ orgnr }: Unit) {
  const { client } = await world.workspace(service);
  const late = holding();
  now.server.misbehave(late.how, { path: `/enheter/${orgnr}`, times: 1 });
  const creating = client.post('/companies', { orgnr });
  await expect.poll(() => late.arrived()).toBe(1);
  return {
    client,
    async answer() {
      late.release();
      return creating;
    },
  };
}

/** A workspace that is served with a pause between the register's answer and the company's row. */
async function pausingWorkspace() {
  let pending: (() => Promise<void>) | undefined;
  const running = await world.start({
    register: {
      ...service.register,
      async find(number): Promise<RegisterAnswer> {
        const answer = await service.register.find(number);
        const step = pending;
        pending = undefined;
        await step?.();
        return answer;
      },
    },
  });
  return {
    ...(await world.workspace(running)),
    /** Sets what happens in the next pause. */
    between: (step: () => Promise<void>) => void (pending = step),
  };
}

/** Creates a company. `step` happens between the register's answer and the company's row. */
async function createWith(orgnr: string, step: () => Promise<void>) {
  const { client, between } = await pausingWorkspace();
  between(step);
  return client.post('/companies', { orgnr });
}

const companiesOf = async ({ orgnr }: Unit) =>
  world.query('select name, email_address from companies where orgnr = $1', [orgnr]);

describe('a look-up that is answered after the feed has reported the unit', () => {
  test('does not keep a sync from reading the unit again', async () => {
    const changed = unit({ name: 'GAMMELT NAVN AS' });
    now.server.hold(recordOf(changed));
    const late = await lateCreate(changed);
    now.server.hold(recordOf({ ...changed, name: 'NYTT NAVN AS' }));
    announce(changed.orgnr, 'Endring');
    expect(await sync()).toMatchObject({ changes: 1 });
    expect(await mirrored(changed.orgnr)).toMatchObject({ name: 'NYTT NAVN AS' });
    const { status, body } = await late.answer();
    expect([status, body.data.name]).toEqual([201, 'NYTT NAVN AS']);
    expect(await mirrored(changed.orgnr)).toMatchObject({ name: 'NYTT NAVN AS' });
  });

  test('does not make a dissolved unit active, here or in a second workspace', async () => {
    const dissolved = unit();
    now.server.hold(recordOf(dissolved));
    const late = await lateCreate(dissolved);
    now.server.hold(deletedRecordOf({ ...dissolved, on: '2026-11-20' }));
    announce(dissolved.orgnr, 'Sletting');
    await sync();
    expect((await late.answer()).status).toBe(422);
    expect(await mirrored(dissolved.orgnr)).toBeUndefined();
    const second = await world.workspace(service);
    expect((await second.client.post('/companies', { orgnr: dissolved.orgnr })).status).toBe(422);
    expect(await companiesOf(dissolved)).toEqual([]);
  });

  test('does not bring back what was removed on legal grounds', async () => {
    const gone = unit({ org_form: 'ENK', name: 'KARI NORDMANN' });
    now.server.hold(recordOf(gone));
    const late = await lateCreate(gone);
    now.server.remove(gone.orgnr, '2026-11-20');
    announce(gone.orgnr, 'Fjernet');
    await sync();
    expect((await late.answer()).status).toBe(422);
    expect(await mirrored(gone.orgnr)).toBeUndefined();
    expect(await companiesOf(gone)).toEqual([]);
  });
});

describe('a company that is being created while the feed reports the unit', () => {
  test('does not store what was removed after it was looked up', async () => {
    const gone = unit({ org_form: 'ENK', name: 'KARI NORDMANN' });
    now.server.hold(recordOf(gone));
    const { status } = await createWith(gone.orgnr, async () => {
      now.server.remove(gone.orgnr, '2026-11-20');
      announce(gone.orgnr, 'Fjernet');
      await sync();
    });
    expect(status).toBe(422);
    expect(await companiesOf(gone)).toEqual([]);
  });

  test('does not store a removed unit where an import creates a company again that an undo has deleted', async () => {
    const gone = unit({ org_form: 'ENK', name: 'KARI NORDMANN' });
    now.server.hold(recordOf(gone));
    const { signIn, between } = await pausingWorkspace();
    const browser = await signIn();
    const file = [['Orgnr'], [gone.orgnr]];
    const { id } = await importFile(browser, 'company', file);
    await browser.post(`/imports/${id}/undo`, {});
    between(async () => {
      now.server.remove(gone.orgnr, '2026-11-20');
      announce(gone.orgnr, 'Fjernet');
      await sync();
    });
    const { rows } = await importFile(browser, 'company', file);
    expect(rows).toMatchObject([{ outcome: 'refused', reasons: [{ code: 'not_in_register' }] }]);
    expect(await companiesOf(gone)).toEqual([{ name: gone.orgnr, email_address: null }]);
  });

  test('does not store what the mirror said before it changed', async () => {
    const changed = unit({ name: 'GAMMELT NAVN AS' });
    await companyOf(changed);
    const { status, body } = await createWith(changed.orgnr, async () => {
      now.server.hold(recordOf({ ...changed, name: 'NYTT NAVN AS' }));
      announce(changed.orgnr, 'Endring');
      await sync();
    });
    expect([status, body.data.name]).toEqual([201, 'NYTT NAVN AS']);
  });

  test('does not store what a look-up found if a slower one, which began before it, finds the removal', async () => {
    const gone = unit({ org_form: 'ENK', name: 'KARI NORDMANN' });
    now.server.remove(gone.orgnr, '2026-11-20');
    const path = `/enheter/${gone.orgnr}`;
    const late = holding();
    now.server.misbehave(late.how, { path, times: 1 });
    const otherProcess = mirroredRegister(now.options.db, now.live, companiesFollow.forget);
    const finding = otherProcess.find(gone.orgnr);
    await expect.poll(() => late.arrived()).toBe(1);
    now.server.misbehave(saying(JSON.stringify(recordOf(gone))), { path, times: 1 });
    const { status } = await createWith(gone.orgnr, async () => {
      late.release();
      expect(await finding).toMatchObject({ outcome: 'removed' });
    });
    expect(status).toBe(422);
    expect(await companiesOf(gone)).toEqual([]);
  });

  test('waits for a removal that is not committed yet', async () => {
    const gone = unit({ org_form: 'ENK', name: 'KARI NORDMANN' });
    await companyOf(gone);
    const reached = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    now.options.followers = {
      ...companiesFollow,
      async forget(transaction, orgnrs) {
        await companiesFollow.forget(transaction, orgnrs);
        reached.resolve();
        await goOn.promise;
      },
    };
    now.server.remove(gone.orgnr, '2026-11-20');
    announce(gone.orgnr, 'Fjernet');
    const syncing = sync();
    await reached.promise;
    const { client } = await world.workspace(service);
    const creating = client.post('/companies', { orgnr: gone.orgnr });
    await expect.poll(waitingForLocks).toBe(1);
    goOn.resolve();
    await syncing;
    expect((await creating).status).toBe(422);
    expect(await companiesOf(gone)).toEqual([{ name: gone.orgnr, email_address: null }]);
  });

  test('an import that refreshes companies does not undo a removal that is not committed yet', async () => {
    const gone = unit({ org_form: 'ENK', name: 'KARI NORDMANN' });
    await companyOf(gone);
    await world.query("update companies set name = 'ELDRE NAVN' where orgnr = $1", [gone.orgnr]);
    const reached = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    now.options.followers = {
      ...companiesFollow,
      async forget(transaction, orgnrs) {
        await companiesFollow.forget(transaction, orgnrs);
        reached.resolve();
        await goOn.promise;
      },
    };
    announce(gone.orgnr, 'Fjernet');
    const syncing = sync();
    await reached.promise;
    const refreshing = companiesFollow.refreshAll(now.options.db);
    await expect.poll(waitingForLocks).toBe(1);
    goOn.resolve();
    await Promise.all([syncing, refreshing]);
    // The register may still find a unit that its feed has just said is removed: the sync must not look it up.
    await sync();
    expect(await companiesOf(gone)).toEqual([{ name: gone.orgnr, email_address: null }]);
  });
});

test('an invalidation from before the clock was set back blocks a company only until the next sync', async () => {
  const changed = unit();
  now.server.hold(recordOf(changed));
  await world.query("insert into register_invalidations values ($1, now() + interval '1 year')", [
    changed.orgnr,
  ]);
  const { client } = await world.workspace(service);
  expect((await client.post('/companies', { orgnr: changed.orgnr })).status).toBe(503);
  await sync();
  expect((await client.post('/companies', { orgnr: changed.orgnr })).status).toBe(201);
});

async function waitingForLocks(): Promise<number> {
  const [row] = await world.query(
    "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
  );
  return row.n;
}
