import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld, type Workspace } from '../world.ts';
import { loseAnswer } from './lose-answer.ts';
import { entrance } from './offer-board.ts';

/** A field of each kind of record: what is done to get to it, what it is called, what is stored, what the API has. */
type Field = {
  label: string;
  prepare: (workspace: Workspace) => Promise<{ path: string; edit: string; writes: string; read: string }>;
  typed: string;
  stored: object;
};

const FIELDS: Record<string, Field> = {
  'title of an offer': {
    label: 'Tittel',
    async prepare(workspace) {
      const { id } = await workspace.offer();
      return { path: `/offers/${id}`, edit: 'Rediger Tittel', writes: `offers/${id}`, read: `/offers/${id}` };
    },
    typed: 'Min tittel',
    stored: { title: 'Min tittel' },
  },
  'title of a task': {
    label: 'Hva skal gjøres',
    async prepare(workspace) {
      const { id } = await workspace.task({ title: 'Ring' });
      const edit = 'Rediger Hva skal gjøres';
      return { path: `/tasks?who=all`, edit, writes: `tasks/${id}`, read: `/tasks/${id}` };
    },
    typed: 'Ring Kari',
    stored: { title: 'Ring Kari' },
  },
  'telephone number of a company': {
    label: 'Telefon',
    async prepare(workspace) {
      const { orgnr } = await workspace.company();
      await workspace.client.patch(`/companies/${orgnr}`, { phone_number: '22 33 44 55' });
      const path = `/companies/${orgnr}`;
      return { path, edit: 'Rediger Telefon', writes: `companies/${orgnr}`, read: path };
    },
    typed: '22 33 44 66',
    stored: { phone_number: '22 33 44 66' },
  },
  'name of a contact': {
    label: 'Navn',
    async prepare(workspace) {
      const { id } = await workspace.contact({ name: 'Kari' });
      const path = `/contacts/${id}`;
      return { path, edit: 'Rediger Navn', writes: `contacts/${id}`, read: path };
    },
    typed: 'Kari Nordmann',
    stored: { name: 'Kari Nordmann' },
  },
  'number of a contact': {
    label: 'Adresse eller nummer',
    async prepare(workspace) {
      const { id } = await workspace.contact({ name: 'Kari' });
      await workspace.client.post(`/contacts/${id}/points`, { type: 'mobile', value: '900 11 222' });
      const path = `/contacts/${id}`;
      return { path, edit: 'Rediger 900 11 222', writes: `contacts/${id}/points/*`, read: `${path}/points` };
    },
    typed: '900 11 333',
    stored: [{ value: '900 11 333' }],
  },
};

describe.skipIf(CHROMIUM === undefined)('what is saved again after its answer was lost', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test.for(Object.entries(FIELDS))(
    'is not said to have been changed by somebody else: the %s',
    async ([, { label, prepare, typed, stored }]) => {
      const workspace = await world.workspace();
      const { path, edit, writes, read } = await prepare(workspace);
      const { page, open } = await enter(workspace);
      await open(path);
      if (path.startsWith('/tasks')) await page.getByRole('row', { name: 'Ring' }).press('Enter');
      await page.getByRole('button', { name: edit }).click();
      const field = page.getByRole('textbox', { name: label, exact: true });
      await field.fill(typed);
      let isDown = true;
      await page.route('**/app/api/**', (route) => {
        isDown &&= route.request().method() === 'GET';
        return isDown ? route.abort() : route.fallback();
      });
      await loseAnswer(page, `**/app/api/${writes}`);
      // Nothing can be read again before the next try is on its way.
      await field.press('Enter');
      // Elsewhere on the page, a part that cannot be read may say the same.
      await page.locator('.edit-state, .form-problem').getByText('Får ikke kontakt').first().waitFor();
      expect((await workspace.client.get(read)).body.data).toMatchObject(stored);
      const answered = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
      await field.press('Enter');
      expect((await answered).status()).toBe(412);
      // A field is hidden while it is saved.
      await expect.poll(() => page.locator('[data-state="saving"]').count()).toBe(0);
      await field.waitFor({ state: 'detached' });
      expect(await page.getByText('Noen andre').count()).toBe(0);
      expect((await workspace.client.get(read)).body.data).toMatchObject(stored);
    },
  );
});
