import { describe, expect, test } from 'vitest';
import { axe, focusIn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance, messages, titlesIn } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('an offer’s page', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('fields are edited in place by keyboard, and the history says so, wide and on a phone', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ one_time_revenue: 100 });
    const { page, open, show } = await enter(workspace);
    await open(`/offers/${id}`);
    await page.getByRole('button', { name: 'Rediger Engangs' }).press('Enter');
    await page.getByRole('textbox', { name: 'Engangs' }).fill('9007199254740991');
    await page.keyboard.press('Enter');
    await page.getByText('engangsbeløp: 100 kr → 9 007 199 254 740 991 kr').waitFor();
    await page.getByRole('button', { name: 'Rediger Tittel' }).press('Enter');
    await focusIn(page.getByRole('textbox', { name: 'Tittel' }));
    await page.keyboard.press('Escape');
    await expect
      .poll(async () => (await workspace.client.get(`/offers/${id}`)).body.data)
      .toMatchObject({
        title: 'Avtale',
        weight: 50,
        one_time_revenue: 9_007_199_254_740_991,
      });
    // "Saved" fades away.
    await expect
      .poll(() =>
        page.evaluate('document.getAnimations().filter((one) => one.playState === "running").length'),
      )
      .toBe(0);
    expect(await axe(page)).toEqual([]);
    await show('phone');
    expect(await axe(page)).toEqual([]);
    await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth - window.innerWidth'))
      .toBe(0);
    await page.getByRole('button', { name: 'Rediger Engangs' }).press('Enter');
    await page.getByRole('textbox', { name: 'Engangs' }).fill('100');
    await page.keyboard.press('Enter');
    await page.getByText('engangsbeløp: 9 007 199 254 740 991 kr → 100 kr').waitFor();
  });

  test('a field that is emptied and must not be stays; what somebody else saved is not overwritten unseen, and leaves what is typed', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer();
    const { page, open } = await enter(workspace);
    await open(`/offers/${id}`);
    for (const [role, name] of [
      ['combobox', 'Selskap'],
      ['textbox', 'Tittel'],
    ] as const) {
      await page.getByRole('button', { name: `Rediger ${name}` }).click();
      await page.getByRole(role, { name }).fill('');
      await page.keyboard.press('Tab');
      await page.getByRole('button', { name: `Rediger ${name}` }).waitFor();
    }
    expect(await page.getByText('Lagret').count()).toBe(0);

    await page.getByRole('button', { name: 'Rediger Tittel' }).click();
    await page.getByRole('textbox', { name: 'Tittel' }).fill('Min tittel');
    await workspace.client.patch(`/offers/${id}`, { title: 'Deres tittel' });
    // The page has heard of the change: what is typed stays, and is still based on the state before.
    await page.getByRole('heading', { name: 'Deres tittel' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Noen andre har endret dette imens').waitFor();
    await expect
      .poll(async () => (await workspace.client.get(`/offers/${id}`)).body.data.title)
      .toBe('Deres tittel');
    await page.getByRole('textbox', { name: 'Tittel' }).press('Enter');
    await page.getByRole('heading', { name: 'Min tittel' }).waitFor();

    await page.getByRole('button', { name: 'Rediger Engangs' }).click();
    await page.getByRole('textbox', { name: 'Engangs' }).fill('700');
    await workspace.client.patch(`/offers/${id}`, { title: 'En annen tittel' });
    await page.getByRole('heading', { name: 'En annen tittel' }).waitFor();
    await expect.poll(() => page.getByRole('textbox', { name: 'Engangs' }).inputValue()).toBe('700');
  });

  test('an amount that was only looked at is left alone; one that was changed is seen before it is written over, and saved when its page is left', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ one_time_revenue: 100 });
    const amount = async () => (await workspace.client.get(`/offers/${id}`)).body.data.one_time_revenue;
    const { page, open, go } = await enter(workspace);
    const shown = page.getByRole('button', { name: 'Rediger Engangs' });
    const field = page.getByRole('textbox', { name: 'Engangs' });
    /** Somebody else sets the amount, and the page has heard of it. */
    const setMeanwhile = async (one_time_revenue: number, title: string) => {
      await workspace.client.patch(`/offers/${id}`, { one_time_revenue, title });
      await page.getByRole('heading', { name: title }).waitFor();
    };
    await open(`/offers/${id}`);
    await shown.press('Enter');
    await focusIn(field);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('edit-button');
    expect(await field.count()).toBe(0);
    await shown.click();
    await field.waitFor();
    await setMeanwhile(900, 'Ny avtale');
    await field.press('Tab');
    await shown.getByText('900').waitFor();
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
    expect(await amount()).toBe(900);

    await shown.click();
    await field.fill('700');
    await setMeanwhile(950, 'Nyere avtale');
    await field.press('Tab');
    await page.getByText('Noen andre har endret dette imens').waitFor();
    expect(await amount()).toBe(950);
    await field.press('Enter');
    await expect.poll(amount).toBe(700);

    await shown.getByText('700').click();
    await field.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('800');
    await go('/tasks');
    await expect.poll(amount).toBe(800);
  });

  test('an offer is made, deleted, and brought back', async () => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    const { page, open, go } = await enter(workspace);
    await open('/offers');
    await page.getByText('Her kommer tilbudene deres').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Opprett' }).click();
    await page.getByText('Fyll ut dette feltet.').waitFor();
    await page.getByText('Velg et selskap.').waitFor();
    await page.getByRole('textbox', { name: 'Tittel' }).fill('Driftsavtale');
    await page.getByRole('combobox', { name: 'Selskap' }).fill(company.orgnr);
    await page.getByRole('option', { name: company.name }).click();
    await page.getByRole('textbox', { name: 'Løpende' }).fill('1500');
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Opprett' }).click();
    await expect.poll(() => titlesIn(page, 'Ny')).toEqual(['Driftsavtale']);
    const [offer] = (await workspace.client.get('/offers')).body.data;
    expect(offer).toMatchObject({
      company_id: company.id,
      user_id: workspace.owner.id,
      recurring_revenue: 1500,
      weight: 50,
    });

    await go(`/offers/${offer.id}`);
    await page.getByRole('button', { name: 'Flere valg' }).click();
    await page.getByRole('menuitem', { name: 'Slett' }).click();
    await expect.poll(() => messages(page)).toContain('Driftsavtale er slettet.');
    await expect.poll(async () => (await workspace.client.get(`/offers/${offer.id}`)).status).toBe(404);
    await page.getByRole('button', { name: 'Angre' }).click();
    await expect.poll(() => titlesIn(page, 'Ny')).toEqual(['Driftsavtale']);
    await go('/offers/00000000-0000-7000-8000-000000000000');
    await page.getByText('Tilbudet finnes ikke').waitFor();
    expect(await axe(page)).toEqual([]);
  });

  test('an offer of the demo data says so; what the command line has done is said to be by the operator', async () => {
    const workspace = await world.workspace();
    const [demo, other] = [await workspace.offer(), await workspace.offer()];
    for (const [command, { id }] of [
      ['demo', demo],
      ['offer create', other],
    ] as const) {
      await world.query(`update changes set actor_kind = 'command', actor_id = $1 where resource_id = $2`, [
        command,
        id,
      ]);
    }
    const { page, open, go } = await enter(workspace);
    await open(`/offers/${demo.id}`);
    await page.getByText('Tilbudet kom med demodata').waitFor();
    // Its status stands where it is edited, and nowhere else.
    expect(await page.getByText('Ny', { exact: true }).count()).toBe(1);
    await go(`/offers/${other.id}`);
    await page.getByText('Driften opprettet tilbudet').waitFor();
  });

  test('an offer that somebody else deletes is gone from its page, and back when it is restored', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer();
    const kari = await workspace.signIn(workspace.member);
    const { page, open } = await enter(workspace);
    await open(`/offers/${id}`);
    await page.getByRole('heading', { name: 'Avtale' }).waitFor();
    await kari.delete(`/offers/${id}`);
    await page.getByText('Tilbudet finnes ikke').waitFor();
    expect(await page.getByRole('button', { name: 'Rediger Tittel' }).count()).toBe(0);
    await kari.post(`/offers/${id}/restore`, {});
    await page.getByRole('heading', { name: 'Avtale' }).waitFor();
  });

  test('a field that could not be saved is saved after other fields were', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer();
    const stored = async () => (await workspace.client.get(`/offers/${id}`)).body.data;
    const { page, open } = await enter(workspace);
    await open(`/offers/${id}`);
    const path = `**/app/api/offers/${id}`;
    await page.route(path, (route) =>
      route.request().postData()?.includes('description') ? route.abort() : route.fallback(),
    );
    await page.getByRole('button', { name: 'Rediger Beskrivelse' }).click();
    const description = page.getByRole('textbox', { name: 'Beskrivelse' });
    await description.fill('Min tekst');
    await description.press('Control+Enter');
    await page.getByText('Får ikke kontakt').waitFor();
    for (const title of ['Avtale to', 'Avtale tre']) {
      await page.getByRole('button', { name: 'Rediger Tittel' }).click();
      const field = page.getByRole('textbox', { name: 'Tittel' });
      await field.fill(title);
      const { etag } = (await workspace.client.get(`/offers/${id}`)).headers;
      const shown = page.waitForResponse(async (response) => {
        if (!response.url().endsWith('/card')) return false;
        // A response that the page has given up has no body.
        const body = await response.json().catch(() => undefined);
        return body !== undefined && !etag!.includes(body.data.etag);
      });
      await field.press('Enter');
      await shown;
      await page.getByRole('button', { name: 'Rediger Tittel' }).getByText(title).waitFor();
    }
    await page.unroute(path);
    await description.press('Control+Enter');
    await expect.poll(stored).toMatchObject({ title: 'Avtale tre', description: 'Min tekst' });
  });
});
