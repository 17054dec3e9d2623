import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { makeBackup } from '../src/backup/make.ts';
import { checkBackup, restoreBackup } from '../src/backup/restore.ts';
import { ownDatabase } from './service.ts';
import type { Running, World } from './world.ts';

const { signal } = new AbortController();

/** A folder for backups of a world, removed after the tests of the file. Call it once, outside of any test. */
export async function keepBackups(world: World) {
  const folder = await mkdtemp(join(tmpdir(), 'kundebok-backup-'));
  afterAll(() => rm(folder, { recursive: true }));
  let made = 0;

  return {
    folder,

    /** Backs up the world's database, or the one at `url`. */
    backup: async (more: { withRegister?: boolean; url?: string } = {}) => {
      const path = join(folder, `${++made}.backup`);
      const databaseUrl = more.url ?? world.databaseUrl;
      return { path, ...(await makeBackup({ databaseUrl, path, release: '1', signal, ...more })) };
    },

    /** Restores a backup into the database at `url`, or into a new one. */
    restore: async (path: string, url?: string) => {
      const databaseUrl = url ?? (await ownDatabase({ empty: true }));
      const file = await checkBackup(path, { signal });
      return { databaseUrl, ...(await restoreBackup({ databaseUrl, file, signal })) };
    },

    /** Makes a workspace with something of each kind. The use of its keys is written by the end of the service. */
    furnish: async (on: Running) => {
      const workspace = await world.workspace(on);
      const company = await workspace.company({ status: 'customer', website_url: 'a\tb\\.\n' });
      const contact = await workspace.contact({ notes: 'en\nto\\n\ttre ✓ \u{1f600}' });
      await workspace.client.post(`/companies/${company.orgnr}/notes`, { text: '\\.\n' });
      await workspace.client.post(`/contacts/${contact.id}/points`, {
        type: 'email',
        value: 'kari@example.no',
      });
      await workspace.client.post(`/contacts/${contact.id}/companies`, { company_id: company.id });
      await workspace.task({ related_company_id: company.id });
      await workspace.offer({ company_id: company.id });
      return { workspace, company, contact };
    },
  };
}
