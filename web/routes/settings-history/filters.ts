import { parseDate, toZoned } from '@internationalized/date';
import { useQuery } from '@tanstack/react-query';
import { useMembers } from '../../client/members.ts';
import { queryOf } from '../../client/queries.ts';
import type { CallResult } from '../../client/call.ts';
import type { Filter } from '../../components/filter-bar.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import type { Entry } from './describe.ts';
import { words } from './words.ts';

const RESOURCES = Object.keys(words.nb.resources) as Entry['resource'][];
const ACTIONS = Object.keys(words.nb.actions) as Entry['action'][];
/** Days back from now, or the days that are chosen. */
const PERIODS = ['1', '7', '30', '90', 'days'] as const;
const KINDS = ['key', 'register', 'command'] as const;

const DAY_MS = 86_400_000;

export type FilterName = 'who' | 'resource' | 'action' | 'period' | 'from' | 'to';

type Actor = CallResult<'GET /history/actors'>['data']['data'][number];

export function useHistoryFilters(): Filter[] {
  const said = useWords(words);
  const { members } = useMembers();
  const { shortDate } = useFormat();
  const actors = useQuery(queryOf('GET /history/actors')).data?.data.data ?? [];
  const optionsOf = (kind: Actor['kind']) =>
    actors
      .filter((one) => one.kind === kind)
      .map(({ id, name, state, ended_at: ended }) => ({
        id,
        label: state === 'current' ? name : said.ended[state](name, shortDate(ended!)),
      }));
  const who = [
    ...members.map(({ id, name }) => ({ id, label: name })),
    ...optionsOf('user'),
    ...optionsOf('key'),
    ...KINDS.map((kind) => ({ id: kind, label: kind === 'key' ? said.anyKey : said.kinds[kind] })),
  ];
  return [
    { name: 'who', label: said.who, options: who },
    {
      name: 'resource',
      label: said.resource,
      options: RESOURCES.map((id) => ({ id, label: said.resources[id] })),
    },
    { name: 'action', label: said.action, options: ACTIONS.map((id) => ({ id, label: said.actions[id] })) },
    { name: 'period', label: said.period, options: PERIODS.map((id) => ({ id, label: said.periods[id] })) },
  ];
}

/** What the API is asked for; unknown values of the address are left out. */
export function queryFrom(
  values: Partial<Record<FilterName, string>>,
  { now, timeZone }: { now: number; timeZone: string },
) {
  const { who, period } = values;
  const resource = RESOURCES.find((one) => one === values.resource);
  const action = ACTIONS.find((one) => one === values.action);
  const kind = KINDS.find((one) => one === who);
  return {
    ...(kind ? { actor_kind: kind } : who ? { actor: who } : {}),
    ...(resource ? { resource } : {}),
    ...(action ? { action } : {}),
    ...(period === 'days' ? daysFrom(values, timeZone) : lastDays(period, now)),
  };
}

function lastDays(period: string | undefined, now: number): { from?: string } {
  const days = Number(PERIODS.find((one) => one === period) ?? 0);
  return days > 0 ? { from: new Date(now - days * DAY_MS).toISOString() } : {};
}

/** Whole days of the workspace's time zone, the last one included. */
function daysFrom(
  { from, to }: Partial<Record<FilterName, string>>,
  timeZone: string,
): { from?: string; until?: string } {
  const [first, last] = [dayOf(from), dayOf(to)];
  return {
    ...(first ? { from: toZoned(first, timeZone).toAbsoluteString() } : {}),
    ...(last ? { until: toZoned(last.add({ days: 1 }), timeZone).toAbsoluteString() } : {}),
  };
}

/** Undefined if somebody has written something into the address that is not a date. */
export function dayOf(text: string | undefined) {
  try {
    return text === undefined ? undefined : parseDate(text);
  } catch {
    return undefined;
  }
}
