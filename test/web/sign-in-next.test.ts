import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createDoors, PASSWORD } from './invited.ts';

describe.skipIf(CHROMIUM === undefined)('signing in leads on', async () => {
  const { origin, invited } = await createDoors();
  const visit = useBrowser({ fresh: true });

  test('a browser without URL.parse, as Safari 17 is, is led to sign in', async () => {
    const { page, open } = await visit(origin);
    await page.addInitScript('delete URL.parse');
    await open('/tasks');
    await page.getByLabel('E-post').waitFor();
    expect(new URL(page.url()).searchParams.get('next')).toBe('/tasks');
  });

  test('after signing in nobody is led elsewhere', async () => {
    const { path, person } = await invited();
    const { page, open } = await visit(origin);
    const names = { first_name: 'Åse', last_name: 'Berg', password: PASSWORD };
    await page.context().request.post(`/app/api${path}`, { data: names, headers: { origin } });
    for (const next of ['//', '//evil.example', 'https://evil.example/', String.raw`/\evil.example`]) {
      await page.context().clearCookies();
      await open(`/sign-in?next=${encodeURIComponent(next)}`);
      await page.getByLabel('E-post').fill(person.email);
      await page.getByLabel('Passord', { exact: true }).fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Selskaper' }).first().waitFor();
      expect(new URL(page.url()).origin).toBe(origin);
    }
  });
});
