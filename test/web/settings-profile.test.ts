import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { SLOW_PAGES } from '../slow-pages.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';
import { BAD_GATEWAY, loseAnswer } from './lose-answer.ts';
import { focused } from './signed-in.ts';

const world = await createWorld();
const browsers = { world, visit: useBrowser() };

/** Gives somebody a passkey, and no password unless one is set. */
const addPasskey = ({ id }: { id: string }) =>
  world.query(
    "insert into passkeys (id, user_id, public_key, counter, transports, name) values ($1, $2, '', 0, '{}', 'Jobb')",
    [`key of ${id}`, id],
  );

const addPassword = ({ id }: { id: string }) =>
  world.query("update users set password_hash = 'set' where id = $1", [id]);

describe.skipIf(CHROMIUM === undefined)('the profile', () => {
  test('removes a passkey, and ends sessions one by one and all at once, by keyboard; the focus is kept, and the others hear of it', async () => {
    const workspace = await world.workspace();
    await addPasskey(workspace.owner);
    await addPassword(workspace.owner);
    const { page, open, show } = await enter(browsers, workspace);
    const [one, another] = [await enter(browsers, workspace), await enter(browsers, workspace)];
    await one.open('/companies');
    await another.open('/tasks');
    await open('/settings/profile');
    const others = page.getByRole('button', { name: /^Logg ut (?!alle)/ });
    await expect.poll(() => others.count()).toBe(2);
    for (const screen of ['phone', 'wide'] as const) {
      await show(screen);
      expect([screen, await axe(page)]).toEqual([screen, []]);
    }
    const remove = page.getByRole('button', { name: 'Fjern passnøkkelen Jobb' });
    const question = page.getByRole('alertdialog', { name: 'Fjern passnøkkelen Jobb' });
    await remove.press('Enter');
    await question.getByText('den kan ikke hentes tilbake').waitFor();
    await expect.poll(() => focused(page)).toBe('Avbryt');
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    await expect.poll(() => remove.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
    await remove.press('Enter');
    await question.getByRole('button', { name: 'Fjern passnøkkelen Jobb' }).press('Enter');
    await remove.waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('Passnøkler');

    await others.last().press('Enter');
    await page.getByText('Økten er avsluttet').waitFor();
    await expect.poll(() => others.count()).toBe(1);
    await expect.poll(() => focused(page)).toBe('Her er du logget inn');

    await page.route('**/sessions/end-others', (route) => route.abort());
    const all = page.getByRole('button', { name: 'Logg ut alle andre steder' });
    await all.press('Enter');
    await page.getByText('Får ikke kontakt').waitFor();
    await expect.poll(() => focused(page)).toBe('Logg ut alle andre steder');
    await page.unroute('**/sessions/end-others');
    await all.press('Enter');
    await page.getByText('Du er logget ut alle andre steder').waitFor();
    await expect.poll(() => focused(page)).toBe('Her er du logget inn');
    for (const ended of [one, another])
      await ended.page.getByRole('dialog', { name: 'Du er logget ut' }).waitFor();
  });

  test('no longer shows what a new password has signed out, and says how long to wait after too many tries', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace);
    await workspace.signIn();
    await open('/settings/profile');
    const others = page.getByRole('button', { name: /^Logg ut (?!alle)/ });
    await expect.poll(() => others.count()).toBe(1);
    const change = async () => {
      await page.getByLabel('Nytt passord').fill('riktig hest batteri');
      await page.keyboard.press('Enter');
    };
    await page.route(
      '**/profile/password',
      (route) => route.fulfill({ status: 429, json: { error: 'Slow down', code: 'rate_limited' } }),
      { times: 1 },
    );
    await change();
    await page.getByText('For mange forsøk. Prøv igjen om et kvarter.').waitFor();
    await change();
    await page.getByText('Passordet er byttet').waitFor();
    await others.waitFor({ state: 'detached' });
  });

  test('removes passkeys with a new password where it is asked to', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace);
    await open('/settings/profile');
    const passkey = page.getByRole('button', { name: 'Fjern passnøkkelen Gammel' });
    const box = page.getByRole('checkbox', { name: 'Fjern også passnøkler' });
    expect(await box.count()).toBe(0);
    await world.query(
      `insert into passkeys (id, user_id, public_key, counter, transports, name) values ($1, $2, '', 0, '{}', 'Gammel')`,
      [`key of ${workspace.owner.id}`, workspace.owner.id],
    );
    await page.route('**/app/api/passkeys', (route) => route.fulfill({ status: 503, json: { code: 'x' } }));
    await open('/settings/profile');
    await box.waitFor();
    await page.unroute('**/app/api/passkeys');
    await page.getByRole('button', { name: 'Prøv igjen' }).click();
    await passkey.waitFor();
    const hint = `document.getElementById(document.querySelector('[name=remove_other_ways]').getAttribute('aria-describedby')).textContent`;
    expect(await page.evaluate(hint)).toContain('andre kan ha brukt');
    await page.getByText('Fjern også passnøkler').click();
    expect(await box.isChecked()).toBe(true);
    expect(await axe(page)).toEqual([]);
    await page.getByLabel('Nytt passord').fill('riktig hest batteri');
    await page.getByRole('button', { name: 'Bytt passord' }).click();
    await page.getByText('Passordet er byttet').waitFor();
    await passkey.waitFor({ state: 'detached' });
    await box.waitFor({ state: 'detached' });
  });

  test.each([
    ['did not come', undefined, 'Får ikke kontakt'],
    ['was that of a proxy', BAD_GATEWAY, 'Noe gikk galt'],
  ])('says that a password may be changed where the answer to changing it %s', async (_, instead, told) => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace);
    await open('/settings/profile');
    await loseAnswer(page, '**/profile/password', instead);
    const change = page.getByRole('button', { name: 'Bytt passord' });
    await page.getByLabel('Nytt passord').fill('riktig hest batteri');
    await change.click();
    await page.getByText(told).waitFor();
    // Nor is this warning forgotten where the next try fails in another way.
    await page.route(
      '**/profile/password',
      (route) => route.fulfill({ status: 429, json: { code: 'rate_limited' } }),
      {
        times: 1,
      },
    );
    await change.click();
    await page.getByText('For mange forsøk').waitFor();
    await change.click();
    await page.getByText('Forrige forsøk kan ha byttet det').waitFor();
    await page.getByLabel('Nåværende passord').fill('riktig hest batteri');
    await change.click();
    await page.getByText('Passordet er byttet').waitFor();
    await expect.poll(() => page.getByText('Forrige forsøk').count()).toBe(0);
  });

  test('forgets that a passkey could not be removed once it is', async () => {
    const workspace = await world.workspace();
    await addPasskey(workspace.owner);
    await addPassword(workspace.owner);
    const { page, open } = await enter(browsers, workspace);
    await open('/settings/profile');
    await page.route(/\/app\/api\/passkeys\/./, (route) => route.abort(), { times: 1 });
    const remove = page.getByRole('button', { name: 'Fjern passnøkkelen Jobb' });
    const confirm = page.getByRole('alertdialog').getByRole('button', { name: 'Fjern passnøkkelen Jobb' });
    await remove.click();
    await confirm.click();
    const failure = page.getByText('Får ikke kontakt med tjenesten');
    await failure.waitFor();
    await remove.click();
    await confirm.click();
    await page.getByText('Passnøkkelen Jobb er fjernet').waitFor();
    await expect.poll(() => failure.count()).toBe(0);
  });

  test('keeps the last way in of somebody without a password, and says what to do', async () => {
    const workspace = await world.workspace();
    await addPasskey(workspace.owner);
    const { page, open } = await enter(browsers, workspace);
    await open('/settings/profile');
    const remove = page.getByRole('button', { name: 'Fjern passnøkkelen Jobb' });
    const confirm = page.getByRole('alertdialog').getByRole('button', { name: 'Fjern passnøkkelen Jobb' });
    await remove.click();
    await confirm.click();
    await page.getByText('Du har ingen annen måte å logge inn på. Velg et passord først.').waitFor();
    await expect.poll(() => remove.count()).toBe(1);
  });

  test.each(['at once', 'late'])(
    'changes the password by keyboard and keeps the focus: the page is rendered %s',
    async (when) => {
      const workspace = await world.workspace();
      const { page, open, runFirst } = await enter(browsers, workspace);
      if (when === 'late') await runFirst(SLOW_PAGES.rendering);
      await open('/settings/profile');
      await page.getByLabel('Nytt passord').fill('riktig hest batteri');
      await page.keyboard.press('Enter');
      await page.getByText('Passordet er byttet').waitFor();
      await expect.poll(() => focused(page)).toBe('Passord');
    },
  );
});
