import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';

const FOUND = `({
  stored: [localStorage.left, sessionStorage.left, document.cookie, window.left],
  width: innerWidth,
  touches: navigator.maxTouchPoints,
  isOnline: navigator.onLine,
  isStill: matchMedia('(prefers-reduced-motion: reduce)').matches,
  hasClock: '__pwClock' in globalThis,
})`;

describe.skipIf(CHROMIUM === undefined)('a visit, which may get the page of another,', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test.each(['once', 'and again'])('finds nothing that one before it has left: %s', async () => {
    const { page, open, show, runFirst } = await visit(world.origin);
    await open('/sign-in');
    expect(await page.evaluate(FOUND)).toEqual({
      stored: [undefined, undefined, '', undefined],
      width: 1280,
      touches: 0,
      isOnline: true,
      isStill: false,
      hasClock: false,
    });
    expect(await page.evaluate("fetch('/app/api/sign-in/methods').then(({ status }) => status)")).toBe(200);

    await page.evaluate("localStorage.left = sessionStorage.left = 'yes'; document.cookie = 'left=yes'");
    await runFirst('window.left = true');
    await show('phone');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.route('**/sign-in/methods', (route) => route.fulfill({ status: 204 }));
    await page.context().setOffline(true);
  });
});
