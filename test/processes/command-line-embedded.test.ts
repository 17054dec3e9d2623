import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runSql } from '../database.ts';
import { readDocument } from '../documents.ts';
import { endWithFile, kundebok, kundebokHere, kundebokJson, startService, type Service } from '../service.ts';

const run = promisify(execFile);

const folder = await mkdtemp(join(tmpdir(), 'kundebok-command-line-'));
// When the tests run as root, PostgreSQL's user must be able to reach what is in it.
await chmod(folder, 0o711);
const settings = { DATA_DIR: join(folder, 'data') };

afterAll(() => rm(folder, { recursive: true, force: true }));
endWithFile();

const CREATE = ['workspace', 'create', '--name', 'Andre', '--owner-email', 'kari@example.no'].concat(
  ['--owner-first-name', 'Kari'],
  ['--owner-last-name', 'Nordmann'],
);

let first: Service;
let company: { id: string };

/** What a shell makes of lines, as JSON. */
async function paste(lines: readonly string[]) {
  const answers = lines.map(async (line) => JSON.parse((await run('sh', ['-c', line])).stdout));
  return Promise.all(answers);
}

/** The banner without its line on the register, which differs from the one in the documentation. */
function withoutRegister(told: string): string {
  return told.trim().replace(/^ {2}Companies .*$/m, '');
}

describe('the first start, with nothing set but where the data go', () => {
  beforeAll(async () => {
    first = await startService(settings);
  });

  test('prints what the documentation shows', async () => {
    const { blocks } = await readDocument('docs/first-calls.md');
    const shown = blocks.find(({ info }) => info === 'text')!.text;
    const [, shownKey = ''] = /^ {2}(kb_\w+)$/m.exec(shown)!;
    const [, shownLink = ''] = /\/welcome\/(\S+)/.exec(shown)!;
    const [, link = ''] = /\/welcome\/(\S+)/.exec(first.told)!;
    const [, shownFolder = ''] = /Data +(\S+)/.exec(shown)!;
    const here = shown
      .replaceAll(shownKey, first.key!)
      .replace(shownLink, link)
      .replaceAll('http://127.0.0.1:3000', first.origin)
      .replace(shownFolder, settings.DATA_DIR);
    expect(withoutRegister(first.told)).toBe(withoutRegister(here));
  });

  test('prints three commands that work in a shell', async () => {
    const commands = first.told.split('\n').filter((line) => line.startsWith('  curl '));
    expect(commands).toHaveLength(3);
    const [me] = await paste(commands.slice(0, 1));
    expect(me.data.permissions).toBe(255);
    const [added] = await paste(commands.slice(1, 2));
    expect(added).toMatchObject({ created: true, data: { orgnr: '923609016', name: 'EQUINOR ASA' } });
    company = added.data;
    expect(await paste(commands.slice(2))).toEqual([{ data: company }]);
  });

  test('leaves the key out of the log', () => {
    expect(first.logged()).not.toContain(first.key!.slice(15));
  });

  test('lets commands work beside it', async () => {
    const [workspaces, findings] = await Promise.all([
      kundebokJson(['workspace', 'list'], settings),
      kundebokJson(['doctor'], settings),
    ]);
    expect(workspaces).toMatchObject([{ name: 'Kundebok' }]);
    expect(findings.map(({ check, ok }: { check: string; ok: boolean }) => [check, ok])).toEqual([
      ['settings', true],
      ['node', true],
      ['database', true],
      ['schema', true],
      ['register', true],
      ['traces', true],
      ['disk', true],
    ]);
  });

  test('reports a failure to a command without naming DATABASE_URL', async () => {
    const url = (await kundebokHere(['database-url'], settings)).stdout.trim();
    await runSql(
      url,
      `create function fail() returns trigger language plpgsql as
         $$ begin raise exception 'no luck' using errcode = '57P03'; end $$;
       create trigger fail before insert on workspaces for each row execute function fail()`,
    );
    const { stderr } = await kundebokHere(CREATE, settings);
    await runSql(url, 'drop function fail cascade');
    expect(stderr).toBe('The database is unavailable (no luck): try again, and see the log of the service\n');
  });

  test('keeps a second service off its data', async () => {
    const { code, stderr, stdout } = await kundebok(['serve'], { ...settings, PORT: '0' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/is in use by the process with pid \d+: stop that one first/);
    expect(stderr).not.toContain('    at ');
  });
});

describe('after SIGTERM', () => {
  let code: number | null;

  beforeAll(async () => {
    code = await first.stop();
  });

  test('the service has ended with 0', () => {
    expect(code).toBe(0);
  });

  test('commands work on the data by themselves, and one at a time', async () => {
    const made = await kundebokJson(CREATE, settings);
    const listed = await kundebokJson(['workspace', 'list'], settings);
    expect(listed.map((row: { workspace_id: string }) => row.workspace_id)).toContain(made.workspace_id);
  });

  test('a second start prints no key, and all data are still there', async () => {
    const second = await startService(settings);
    expect(second.told).not.toContain('kb_');
    expect(second.told).toContain('key create --help');
    const [, given, command = ''] = /^ {2}(.*)bin\/kundebok (user invite .+)$/m.exec(second.told)!;
    expect(given).toContain(`DATA_DIR=${settings.DATA_DIR} `);
    const { link } = await kundebokJson(command.split(' '), { ...settings, PORT: '3100' });
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:3100\/welcome\/\S+$/);
    const answer = await fetch(`${second.address}/companies/923609016`, {
      headers: { authorization: `Bearer ${first.key}` },
    });
    expect(await answer.json()).toEqual({ data: company });
    expect(await second.stop()).toBe(0);
  });
});
