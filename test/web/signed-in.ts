import type { Page } from 'playwright-core';
import type { Workspace } from '../world.ts';

/** For `prepare` of a visit: a browser in which somebody is signed in, the owner unless another is named. */
export async function enterAs(
  workspace: Workspace,
  origin: string,
  person?: Workspace['owner'],
): Promise<(page: Page) => Promise<void>> {
  const value = await workspace.sessionOf(person);
  return (page) => page.context().addCookies([{ name: 'kundebok_session', value, url: origin }]);
}

/** The text of what has the focus. */
export function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement?.innerText || document.activeElement?.value || ""');
}
