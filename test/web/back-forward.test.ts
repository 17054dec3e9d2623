import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { chromium, type Browser } from 'playwright-core';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enterAs } from './signed-in.ts';

// Without these, Chromium restores no page with an answer of `no-store`, and loads it again.
const KEEPS_PAGES =
  'BackForwardCache:should_ignore_blocklists/true,CacheControlNoStoreEnterBackForwardCache:level/restore-unless-cookie-change';

// The headless shell keeps no page at all.
const WITH_WINDOWS = CHROMIUM?.replace('-headless-shell', '') ?? '';

describe.skipIf(!existsSync(WITH_WINDOWS))('a page out of the back/forward cache', async () => {
  const world = await createWorld();
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: WITH_WINDOWS,
      args: ['--no-sandbox', '--disable-gpu', `--enable-features=${KEEPS_PAGES}`],
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    });
    return () => browser.close();
  });

  test('shows what has changed and what changes next, and nothing to a person who is signed out', async ({
    skip,
  }) => {
    const workspace = await world.workspace();
    const user_id = workspace.owner.id;
    await workspace.task({ title: 'Ring', user_id });
    const page = await browser.newPage({ baseURL: world.origin, locale: 'nb-NO' });
    await (
      await enterAs(workspace, world.origin)
    )(page);
    const visitAnother = async () => {
      await page.evaluate('globalThis.isKept = true');
      await page.goto('about:blank');
    };
    // The page that is left cannot answer.
    const goBack = () => page.evaluate('void setTimeout(() => history.back())');
    await page.goto('/tasks');
    await page.getByRole('row', { name: 'Ring' }).waitFor();
    await visitAnother();
    await workspace.task({ title: 'Skriv', user_id });
    await goBack();
    await page.getByRole('row', { name: 'Skriv' }).waitFor();
    skip((await page.evaluate('globalThis.isKept')) !== true, 'this Chromium keeps no such page');
    await workspace.task({ title: 'Betal', user_id });
    await page.getByRole('row', { name: 'Betal' }).waitFor();

    await visitAnother();
    await world.query('delete from sessions where user_id = $1', [user_id]);
    await goBack();
    await page.getByRole('dialog', { name: 'Du er logget ut' }).waitFor();
    expect(await page.evaluate('globalThis.isKept')).toBe(true);
    await page.close();
  });
});
