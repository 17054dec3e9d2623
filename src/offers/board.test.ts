import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld();

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

type Column = { status: string; since: string | null; cards: Card[]; next_cursor: string | null };
// oxlint-disable-next-line typescript/no-explicit-any -- answers of any shape
type Card = any;

async function column(workspace: Workspace, query: string): Promise<Column> {
  const browser = await workspace.signIn();
  const { status, body } = await browser.get(`/offers/board?${query}`);
  expect(status).toBe(200);
  return body.data[0];
}

const paths = (id: string) => [
  '/offers/board',
  '/offers/sums',
  '/offers/cards',
  `/offers/${id}/card`,
  `/offers/${id}/history`,
];

const stand = (id: string, days: number) =>
  world.query(`update offers set status_since = now() - $2 * interval '1 day' where id = $1`, [id, days]);

describe('the board', () => {
  test('has a column for each status and a card with company, owner, amounts and the next open task', async () => {
    const workspace = await world.workspace();
    const browser = await workspace.signIn();
    const company = await workspace.company();
    const offer = await workspace.offer({
      company_id: company.id,
      one_time_revenue: Number.MAX_SAFE_INTEGER,
      weight: 20,
    });
    await workspace.task({ related_company_id: company.id, due_date: inDays(9), title: 'Senere' });
    const task = await workspace.task({
      related_company_id: company.id,
      due_date: inDays(-1),
      title: 'Ring',
    });
    const done = await workspace.task({ related_company_id: company.id, due_date: inDays(-5) });
    await workspace.client.patch(`/tasks/${done.id}`, { completed: true });

    const { body } = await browser.get('/offers/board');
    expect(body.data.map(({ status }: Column) => status)).toEqual([
      'new',
      'sent',
      'negotiating',
      'accepted',
      'rejected',
    ]);
    const { headers } = await browser.get(`/offers/${offer.id}`);
    const { id, orgnr, name } = company;
    expect(body.data[0]).toEqual({
      status: 'new',
      since: null,
      next_cursor: null,
      cards: [
        {
          ...offer,
          status_since: offer.created_at,
          updated_at: offer.created_at,
          etag: headers.etag!.slice(1, -1),
          company: { id, orgnr, name, is_archived: false, is_deleted: false },
          owner: { id: workspace.owner.id, first_name: 'Ola', last_name: 'Nordmann' },
          next_task: {
            id: task.id,
            title: 'Ring',
            due_date: task.due_date,
            has_time_specified: true,
            overdue: true,
          },
        },
      ],
    });
    expect((await browser.get(`/offers/${offer.id}/card`)).body.data).toEqual(body.data[0].cards[0]);
    expect((await browser.get('/offers/cards')).body.data).toEqual(body.data[0].cards);
  });

  test('shows a task without a time as overdue once its day has ended in the workspace’s time zone', async () => {
    // A time zone where it is not about midnight, so that no day ends during the test.
    const zone = ['Pacific/Kiritimati', 'Asia/Tokyo'].find((timeZone) => {
      const { hour } = Temporal.Now.zonedDateTimeISO(timeZone);
      return hour > 0 && hour < 23;
    })!;
    const workspace = await world.workspace();
    await world.query('update workspaces set time_zone = $1 where id = $2', [zone, workspace.id]);
    const company = await workspace.company();
    const { id } = await workspace.offer({ company_id: company.id });
    const browser = await workspace.signIn();
    const isOverdue = async (due_date: string) => {
      const task = await workspace.task({
        related_company_id: company.id,
        due_date,
        has_time_specified: false,
      });
      const { next_task } = (await browser.get(`/offers/${id}/card`)).body.data;
      await workspace.client.patch(`/tasks/${task.id}`, { completed: true });
      return next_task.overdue;
    };
    const day = Temporal.Now.zonedDateTimeISO(zone).startOfDay();
    expect(await isOverdue(day.toInstant().toString())).toBe(false);
    expect(await isOverdue(day.subtract({ seconds: 1 }).toInstant().toString())).toBe(true);
  });

  test('orders cards by the company’s next open task, then by how long they have had their status, page by page', async () => {
    const workspace = await world.workspace();
    const make = async (due: number | undefined, stood: number) => {
      const company = await workspace.company();
      if (due !== undefined) await workspace.task({ related_company_id: company.id, due_date: inDays(due) });
      const { id } = await workspace.offer({ company_id: company.id, status: 'sent' });
      await stand(id, stood);
      return id as string;
    };
    const ids = [
      await make(undefined, 3),
      await make(4, 1),
      await make(-2, 1),
      await make(undefined, 8),
      await make(1, 1),
    ];
    const ordered = [2, 4, 1, 3, 0].map((at) => ids[at]);
    expect((await column(workspace, 'status=sent')).cards.map(({ id }) => id)).toEqual(ordered);

    const paged: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Column = await column(workspace, `status=sent&limit=2&cursor=${cursor}`);
      paged.push(...page.cards.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(ordered);
  });

  test('shows offers closed in the last 30 days, the newest first', async () => {
    const workspace = await world.workspace();
    const ids = [];
    for (const days of [29, 31, 2]) {
      const { id } = await workspace.offer({ status: 'rejected' });
      await stand(id, days);
      ids.push(id);
    }
    const { cards, since } = await column(workspace, 'status=rejected');
    expect(cards.map(({ id }) => id)).toEqual([ids[2], ids[0]]);
    expect(Date.parse(since!)).toBeCloseTo(Date.now() - 30 * DAY_MS, -5);
  });

  test('shows one person’s offers alone', async () => {
    const workspace = await world.workspace();
    await workspace.offer();
    const { id } = await workspace.offer({ user_id: workspace.member.id });
    const { cards } = await column(workspace, `status=new&user_id=${workspace.member.id}`);
    expect(cards.map((card) => card.id)).toEqual([id]);
  });

  test.each(['cursor=abc', 'status=new&cursor=abc', 'status=new&limit=101', 'status=lost', 'user_id=me'])(
    'refuses %s',
    async (query) => {
      const browser = await (await world.workspace()).signIn();
      const { status, body } = await browser.get(`/offers/board?${query}`);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    },
  );

  test('refuses the cursor of another column or person', async () => {
    const workspace = await world.workspace();
    for (let count = 0; count < 2; count++) await workspace.offer();
    const { next_cursor } = await column(workspace, 'status=new&limit=1');
    const browser = await workspace.signIn();
    for (const query of ['status=sent', `status=new&user_id=${workspace.owner.id}`]) {
      const { status } = await browser.get(`/offers/board?${query}&cursor=${next_cursor}`);
      expect(status).toBe(400);
    }
  });

  test('refuses a cursor with an instant that the service does not write', async () => {
    const workspace = await world.workspace();
    for (let count = 0; count < 2; count++) await workspace.offer();
    const { next_cursor } = await column(workspace, 'status=new&limit=1');
    const [kind, , ...rest] = JSON.parse(Buffer.from(next_cursor!, 'base64url').toString());
    const made = JSON.stringify([kind, '2026-01-15T09:00:00+23:00', ...rest]);
    const cursor = Buffer.from(made).toString('base64url');
    const browser = await workspace.signIn();
    expect((await browser.get(`/offers/board?status=new&limit=1&cursor=${cursor}`)).status).toBe(400);
  });
});

describe('the list', () => {
  test('is filtered by status, owner and company, and sorted by change or by how long offers have had their status', async () => {
    const workspace = await world.workspace();
    const browser = await workspace.signIn();
    const ids: string[] = [];
    for (const [status, days] of [
      ['new', 1],
      ['sent', 9],
      ['sent', 4],
    ] as const) {
      const { id } = await workspace.offer({ status });
      await stand(id, days);
      ids.push(id);
    }
    const read = async (query: string) =>
      (await browser.get(`/offers/cards?${query}`)).body.data.map(({ id }: Card) => ids.indexOf(id));
    const company = (await workspace.client.get(`/offers/${ids[1]}`)).body.data.company_id;
    expect(await read('')).toEqual([2, 1, 0]);
    expect(await read('sort=updated_at')).toEqual([0, 1, 2]);
    expect(await read('sort=status_since')).toEqual([1, 2, 0]);
    expect(await read('sort=-status_since&status=sent')).toEqual([2, 1]);
    expect(await read(`company_id=${company}`)).toEqual([1]);
    expect(await read(`user_id=${workspace.member.id}`)).toEqual([]);
  });
});

describe('people only', () => {
  test('neither an API key nor a request without a session reads anything', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer();
    for (const path of paths(id)) {
      const headers = { authorization: `Bearer ${workspace.client.token}` };
      expect((await fetch(`${world.origin}/app/api${path}`, { headers })).status).toBe(401);
      expect([400, 404]).toContain((await workspace.client.get(path)).status);
      expect((await world.browser().get(path)).status).toBe(401);
    }
  });

  test('another workspace sees nothing of an offer', async () => {
    const { id } = await (await world.workspace()).offer();
    const browser = await (await world.workspace()).signIn();
    const answers = await Promise.all(paths(id).map(async (path) => browser.get(path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 404]);
    expect(answers[0]!.body.data.flatMap(({ cards }: Column) => cards)).toEqual([]);
    expect(answers[1]!.body.data.open.count).toBe(0);
    expect(answers[2]!.body.data).toEqual([]);
    expect((await browser.get(`/offers/${randomUUID()}/card`)).status).toBe(404);
  });
});
