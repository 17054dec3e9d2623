import { answer, operation } from '../http/endpoint.ts';
import { listPage } from '../http/listed.ts';
import { found, notFound } from '../http/problem.ts';
import { readColumn } from './board.ts';
import {
  boardAnswer,
  boardQuery,
  cardAnswer,
  cardsAnswer,
  cardsQuery,
  sumsAnswer,
  sumsQuery,
} from './card-schema.ts';
import { cardList, findCard } from './cards.ts';
import { offerHistoryAnswer, listHistory } from './history.ts';
import { OFFER_STATUSES, offerParams } from './schema.ts';
import { readOverdue } from './overdue.ts';
import { createSharedRuns } from './shared-runs.ts';
import { findOffer } from './store.ts';
import { readSums } from './sums.ts';

/** The most entries of its history that an offer is shown with. */
const HISTORY = 100;

export const getOfferBoard = operation({
  operationId: 'getOfferBoard',
  summary: 'Read the board of offers',
  description:
    'A column for each status, its cards in order of the company’s next open task, then those longest in the status first (closed offers: the latest). Closed offers leave the board after 30 days. In a column of thousands of offers, only the first ones are sorted.',
  query: boardQuery,
  answers: { 200: boardAnswer },
  fails: [],
  async handle({ query: { status, ...asked }, tenant }) {
    const statuses = status ? [status] : OFFER_STATUSES;
    const [addOverdue, ...columns] = await Promise.all([
      readOverdue(tenant),
      ...statuses.map((one) => readColumn(tenant, { ...asked, status: one })),
    ]);
    return answer(200, {
      data: columns.map((column) => ({ ...column, cards: column.cards.map(addOverdue) })),
    });
  },
});

export const getOfferSums = () => {
  const share = createSharedRuns<Awaited<ReturnType<typeof readSums>>>();
  return operation({
    operationId: 'getOfferSums',
    summary: 'Read sums of offers',
    description:
      'Of open offers, and of those closed in the last 30 days: in whole NOK, as strings of digits, because they can exceed what a JavaScript number holds.',
    query: sumsQuery,
    answers: { 200: sumsAnswer },
    fails: [],
    async handle({ query: { user_id }, tenant }) {
      const data = await share(`${tenant.id} ${user_id ?? ''}`, () => readSums(tenant, user_id));
      return answer(200, { data });
    },
  });
};

export const getOfferCards = operation({
  operationId: 'listOfferCards',
  summary: 'List offers as the application shows them',
  description:
    'With company, owner, the company’s next open task, and the time since which each has had its status.',
  query: cardsQuery,
  answers: { 200: cardsAnswer },
  fails: [],
  async handle({ query: { limit, cursor, sort = '-updated_at', ...filters }, tenant }) {
    const { data, page } = await listPage(cardList, tenant, { limit, cursor, sort }, filters);
    return answer(200, { data: data.map(await readOverdue(tenant)), page });
  },
});

export const getOfferCard = operation({
  operationId: 'getOfferCard',
  summary: 'Read an offer as the application shows it',
  description: 'As in the list.',
  params: offerParams,
  answers: { 200: cardAnswer },
  fails: ['not_found'],
  async handle({ params: { id }, tenant }) {
    const card = found(await tenant.row(findCard, { id }), `Offer ${id}`);
    const addOverdue = await readOverdue(tenant);
    return answer(200, { data: addOverdue(card) });
  },
});

export const getOfferHistory = operation({
  operationId: 'getOfferHistory',
  summary: 'Read what happened to an offer',
  description: 'The newest entries of the change log, the newest first; also of a deleted offer.',
  params: offerParams,
  answers: { 200: offerHistoryAnswer },
  fails: ['not_found'],
  async handle({ params: { id }, tenant }) {
    const entries = await tenant.rows(listHistory, { id, limit: HISTORY + 1 });
    if (entries.length === 0 && !(await tenant.row(findOffer, { id }))) throw notFound(`Offer ${id}`);
    return answer(200, { data: entries.slice(0, HISTORY), has_more: entries.length > HISTORY });
  },
});
