import type { Page, Route } from 'playwright-core';
import type { createWorld } from '../world.ts';
import type { entrance } from './offer-board.ts';

export async function setStatus(page: Page, status: string) {
  await page.getByRole('button', { name: 'Sett status' }).click();
  await page.getByRole('menuitem', { name: status, exact: true }).click();
}

export function addressOf(n: number) {
  return `**/app/api/companies/${100_000_000 + n}`;
}

/** The next change of company `n` is carried out, and neither its answer nor those to the requests after it come. */
export async function loseAnswers(
  page: Page,
  n: number,
  times: number,
  carryOut = async (route: Route): Promise<unknown> => route.fetch(),
) {
  let left = times;
  await page.route(addressOf(n), async (route) => {
    const isChange = route.request().method() === 'PATCH';
    if (left === 0 || (left === times && !isChange)) return route.fallback();
    left -= 1;
    if (isChange) await carryOut(route);
    await route.abort();
  });
}

/** Holds the first two changes of company `n`. @returns a function that lets the next go and waits for its answer */
export async function hold(page: Page, n: number) {
  const held = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [arriving, leaving] = [held.values(), held.values()];
  await page.route(addressOf(n), async (route) => {
    if (route.request().method() === 'PATCH') await arriving.next().value?.promise;
    await route.continue();
  });
  return async () => {
    const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
    leaving.next().value?.resolve();
    await answered;
  };
}

/** How a test enters a workspace with many companies. */
export function companiesOf(
  world: Awaited<ReturnType<typeof createWorld>>,
  enter: ReturnType<typeof entrance>,
) {
  /** Companies from "Bedrift 001" on, with a status. */
  return async function withCompanies(count: number, status = 'lead') {
    const workspace = await world.workspace();
    await world.query(
      `insert into companies (tenant_id, id, orgnr, name, status, source, org_form, registered_at, employees, nace_primary)
       select $1, gen_random_uuid(), (100000000 + n)::text, 'Bedrift ' || lpad(n::text, 3, '0'), $3, 'brreg', 'AS',
         now(), 1, '62.010'
       from generate_series(1, $2::int) as n`,
      [workspace.id, count, status],
    );
    const visited = await enter(workspace);
    const { page } = visited;
    const row = (name: string) => page.getByRole('row', { name });
    const choose = (name: string) => row(name).getByRole('checkbox').check();
    const scrollTo = (index: number) =>
      page.locator('.table-body').evaluate((body, top) => body.scrollTo({ top }), index * 36);
    const stored = async (n: number) =>
      (await workspace.client.get(`/companies/${100_000_000 + n}`)).body.data as {
        status: string;
        is_archived: boolean;
      };
    return { ...visited, workspace, row, choose, scrollTo, stored };
  };
}
