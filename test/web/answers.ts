import type { Page } from 'playwright-core';
import type { Screen, useBrowser, Visit } from '../browser.ts';
import type { Session } from '../../web/client/application.ts';

/** Somebody who is signed in, for tests of what is the same for all. */
export const KARI: Session = {
  user: {
    id: 'u1',
    email: 'kari@nordlys.example',
    first_name: 'Kari',
    last_name: 'Nordmann',
    language: null,
  },
  workspace: { id: 'w1', name: 'Nordlys Bygg AS', language: 'nb', time_zone: 'Europe/Oslo' },
  role: 'owner',
  workspaces: [{ id: 'w1', name: 'Nordlys Bygg AS', role: 'owner' }],
};

type Answers = Readonly<Record<string, { status: number; body?: unknown }>>;

/** Answers the page's calls by `METHOD /path` below /app/api, the rest with 404. A wait for changes gets no answer. */
async function answerCalls(page: Page, answers: Answers): Promise<void> {
  await page.route('**/app/api/**', async (route) => {
    const request = route.request();
    const url = new URL(request.url());
    const name = `${request.method()} ${url.pathname.replace('/app/api', '')}`;
    if (name === 'GET /changes') {
      if (url.searchParams.get('wait') !== '0') return;
      await route.fulfill({ json: { data: [], page: { has_more: false, next_cursor: 'c1' } } });
      return;
    }
    const { status, body } = answers[name] ?? {
      status: 404,
      body: { error: 'No such path', code: 'not_found' },
    };
    await route.fulfill(body === undefined ? { status } : { status, json: body });
  });
}

const SIGNED_IN: Answers = { 'GET /session': { status: 200, body: { data: KARI } } };

/** Visits as Kari, or as the person in the given answers. */
export function visitsWithAnswers(
  visit: ReturnType<typeof useBrowser>,
  origin: string,
): (options?: { screen?: Screen; locale?: string; answers?: Answers }) => Promise<Visit> {
  return ({ answers = SIGNED_IN, ...options } = {}) =>
    visit(origin, { ...options, prepare: (page) => answerCalls(page, answers) });
}
