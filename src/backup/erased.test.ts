import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keepBackups } from '../../test/backups.ts';
import { endWithFile, kundebokHere, ownDatabase } from '../../test/service.ts';
import { lineTo } from '../../test/stop-after.ts';
import { createWorld } from '../../test/world.ts';
import { findReturned, readErased } from './erased.ts';

endWithFile();
const world = await createWorld();
const { folder, backup, restore, furnish } = await keepBackups(world);

const returnedTo = async (databaseUrl: string, ...sources: string[]) =>
  findReturned(databaseUrl, (await readErased(sources)).erased);

describe('people erased after the backup', () => {
  test('are named by the database that is replaced, and by its change log', async () => {
    const service = await world.start();
    const { workspace, contact } = await furnish(service);
    const earlier = await workspace.contact();
    await workspace.client.send({ method: 'DELETE', path: `/contacts/${earlier.id}` });
    const { path } = await backup();
    await workspace.client.send({ method: 'DELETE', path: `/contacts/${contact.id}` });
    const { databaseUrl } = await restore(path);
    const returned = [{ workspace_id: workspace.id, contact_id: contact.id }];
    expect(await returnedTo(databaseUrl, world.databaseUrl)).toEqual(returned);
    const log = join(folder, 'changes.json');
    await writeFile(log, JSON.stringify((await workspace.client.get('/changes')).body.data));
    expect(await returnedTo(databaseUrl, log)).toEqual(returned);
    await writeFile(log, '{}');
    await expect(readErased([log])).rejects.toThrow('is not the output of kundebok changes --json');
    await service.end();
  });

  test('include everybody who was merged into the erased contact, and nobody else who was merged', async () => {
    const service = await world.start();
    const { workspace, contact } = await furnish(service);
    const [kept, merged, once, twice] = [
      await workspace.contact(),
      await workspace.contact(),
      await workspace.contact(),
      await workspace.contact(),
    ];
    const { path } = await backup();
    const browser = await workspace.signIn();
    for (const [into, other] of [
      [kept, merged],
      [once, twice],
      [contact, once],
    ] as const)
      expect((await browser.post(`/contacts/${into.id}/merge`, { other_id: other.id })).status).toBe(200);
    await workspace.client.send({ method: 'DELETE', path: `/contacts/${contact.id}` });
    const { databaseUrl } = await restore(path);
    const log = join(folder, 'merged.json');
    await writeFile(log, JSON.stringify((await workspace.client.get('/changes')).body.data));
    for (const source of [world.databaseUrl, log]) {
      const returned = await returnedTo(databaseUrl, source);
      expect(new Set(returned.map(({ contact_id }) => contact_id))).toEqual(
        new Set([contact.id, once.id, twice.id]),
      );
    }
    await service.end();
  });

  test('are those of one workspace in its change log, which the output of a restore says', async () => {
    const service = await world.start();
    const people = [await furnish(service), await furnish(service)] as const;
    const { path, made_at } = await backup();
    const logs: string[] = [];
    for (const { workspace, contact } of people) {
      await workspace.client.send({ method: 'DELETE', path: `/contacts/${contact.id}` });
      const log = join(folder, `${workspace.id}.json`);
      await writeFile(log, JSON.stringify((await workspace.client.get('/changes')).body.data));
      logs.push(log);
    }
    const [one, other] = people.map(
      ({ workspace, contact }) => `kundebok contact erase --workspace ${workspace.id} ${contact.id}\n`,
    );
    const told = async (...sources: string[]) => {
      const options = sources.flatMap((source) => ['--erased-in', source]);
      const settings = { DATABASE_URL: await ownDatabase({ empty: true }) };
      return (await kundebokHere(['restore', path, ...options], settings)).stdout;
    };
    const half = await told(logs[0]!);
    expect(half).toContain(one);
    expect(half).not.toContain(other);
    expect(half).toContain('People who were erased after it are back, too');
    expect(half).toContain('one for each workspace');
    expect(half).not.toContain('begins at');
    expect(half).toContain('with the same DATABASE_URL');
    const whole = await told(...logs, world.databaseUrl);
    for (const command of [one!, other!]) expect(whole.split(command)).toHaveLength(2);
    expect(await told(world.databaseUrl)).not.toContain('are back, too');

    const entries = JSON.parse(await readFile(logs[0]!, 'utf8')) as { at: string }[];
    const late = entries.filter(({ at }) => at > made_at);
    await writeFile(logs[0]!, JSON.stringify(late));
    await writeFile(logs[1]!, '[]');
    const short = await told(...logs);
    expect(short).toContain(`${logs[0]} begins at ${late[0]!.at}: people who were erased before that`);
    expect(short).toContain(`${logs[1]} has no entries.`);
    await service.end();
  });

  test('are not compared when the connection is lost, which leaves a restore that is complete', async () => {
    const { path } = await backup();
    const line = await lineTo(await ownDatabase({ empty: true }));
    onTestFinished(() => line.stop());
    line.cutAfter('join unnest');
    const ended = await kundebokHere(['restore', path, '--erased-in', world.databaseUrl], {
      DATABASE_URL: line.url,
    });
    expect(ended).toEqual({
      code: 1,
      stdout: expect.stringMatching(/^tables +\d+\n.*^Every session has ended/ms),
      stderr: expect.stringContaining(
        'The restore is complete, but the erased people could not be compared (Connection terminated unexpectedly): restore',
      ),
    });
  });

  test.each([
    ['names no host', () => 'postgres://kari:secret@/crm', 'must name a host'],
    ['does not answer', () => 'postgres://kari:secret@127.0.0.1:1/crm', 'connect ECONNREFUSED'],
    ['has no schema', () => ownDatabase({ empty: true }), 'relation "contacts" does not exist'],
  ])(
    'a database that %s is reported as --erased-in, before anything is restored',
    async (_, source, says) => {
      const { path } = await backup();
      const url = await ownDatabase({ empty: true });
      const ended = await kundebokHere(['restore', path, '--erased-in', await source()], {
        DATABASE_URL: url,
      });
      const stderr = expect.stringMatching(/^The database of --erased-in cannot be read: .*\n$/);
      expect(ended).toEqual({ code: 1, stdout: '', stderr });
      expect(ended.stderr).toContain(says);
      expect(ended.stderr).not.toContain('secret');
      expect((await restore(path, url)).tables).toBeGreaterThan(0);
    },
  );
});

test('a restore says how units that the register removed after the backup are erased again', async () => {
  const { path } = await backup();
  const told = async (REGISTER: string) => {
    const settings = { DATABASE_URL: await ownDatabase({ empty: true }), REGISTER };
    return (await kundebokHere(['restore', path], settings)).stdout;
  };
  expect(await told('national')).toMatch(/register removed on legal grounds .*kundebok register import/);
  expect(await told('sandbox')).not.toContain('register removed');
});
