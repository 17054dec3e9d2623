import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { findSchemaState } from '../../src/db/schema-state.ts';
import { RELEASED } from '../../src/db/migrations.ts';
import { openClient } from '../database.ts';
import { endWithFile, environmentOf, ownDatabase, ROOT } from '../service.ts';

endWithFile();

const CHANGES_IMPORTS = RELEASED.findIndex(({ name }) => name.includes('digest_of_imported_files'));

test.each([
  ['serve', 'schema_migrations', 'Reference'],
  ['migrate', 'schema_migrations', 'applied'],
  ['serve', 'imports', 'Reference'],
  ['migrate', 'imports', 'applied'],
])(
  '%s says which session keeps it from the table %s, lets others read meanwhile, and goes on afterwards',
  async (command, table, end) => {
    const url = await ownDatabase({ empty: true });
    await migrate(url, RELEASED.slice(0, CHANGES_IMPORTS));
    await using holder = await openClient(url);
    await holder.query("set application_name = 'pg_dump'; begin");
    await holder.query(`lock table ${table} in access share mode`);
    const [{ pid }] = (await holder.query('select pg_backend_pid() as pid')).rows;

    const env = environmentOf({ DATABASE_URL: url, PORT: '0' });
    const child = spawn(`${ROOT}bin/kundebok`, [command], { cwd: ROOT, env });
    onTestFinished(() => void child.kill());
    const closed = once(child, 'close');
    const heard = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => (heard[name] += text));
    await expect.poll(() => heard.stderr).toContain(`pg_dump (pid ${pid})`);
    await using reader = await openClient(url);
    expect(await findSchemaState(reader)).toMatchObject({ state: 'behind' });
    await reader.query(`select from ${table} limit 1`);
    await holder.query('commit');
    await expect.poll(() => heard.stdout).toContain(end);
    if (command === 'serve') child.kill();
    expect(await closed).toEqual([0, null]);
  },
);
