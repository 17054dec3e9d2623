import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { searchText } from '../../client/answers.ts';
import { call, type CallResult } from '../../client/call.ts';
import type { IconName } from '../../components/icon.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { sayDue } from '../tasks/due.ts';
import { searchWords } from './words.ts';

export type FoundItem = {
  id: string;
  label: string;
  detail: string;
  to: string;
  search?: Record<string, string>;
};
export type FoundGroup = {
  id: 'companies' | 'contacts' | 'offers' | 'tasks';
  title: string;
  icon: IconName;
  items: FoundItem[];
};

/**
 * What the service finds for a text, by kind, each item with the address it leads to. Nothing for a blank text. Until
 * `isCurrent` is true, the items are those of an earlier text: they are shown, but not to be chosen.
 */
export function useFound(text: string, limit: number) {
  const words = useWords(shared);
  const own = useWords(searchWords);
  const format = useFormat();
  const q = searchText(text);
  const query = useQuery({
    queryKey: ['search', q, limit],
    queryFn: async ({ signal }) =>
      (await call('GET /search', { query: { q, limit: String(limit) }, signal })).data.data,
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  const data = q === '' ? undefined : query.data;
  const groups: FoundGroup[] = [
    {
      id: 'companies',
      title: words.companies,
      icon: 'companies',
      items: (data?.companies ?? []).map(({ id, orgnr, name, status, is_archived }) => ({
        id,
        label: name,
        detail: joined(format.orgnr(orgnr), words.companyStatus[status], is_archived && own.archived),
        to: `/companies/${orgnr}`,
      })),
    },
    {
      id: 'contacts',
      title: words.contacts,
      icon: 'contacts',
      items: (data?.contacts ?? []).map(({ id, name, detail, company_name }) => ({
        id,
        label: name,
        detail: joined(company_name, detail),
        to: `/contacts/${id}`,
      })),
    },
    {
      id: 'offers',
      title: words.offers,
      icon: 'offers',
      items: (data?.offers ?? []).map(({ id, title, status, company_name }) => ({
        id,
        label: title,
        detail: joined(company_name, words.offerStatus[status]),
        to: `/offers/${id}`,
      })),
    },
    {
      id: 'tasks',
      title: words.tasks,
      icon: 'tasks',
      items: (data?.tasks ?? []).map((task) => ({
        id: task.id,
        label: task.title,
        detail: joined(task.completed ? own.doneTask : sayDue(task, format), task.company_name),
        ...placeOfTask(task),
      })),
    },
  ];
  return {
    ...query,
    q,
    groups: groups.filter(({ items }) => items.length > 0),
    isAnswered: data !== undefined,
    isCurrent: data !== undefined && !query.isPlaceholderData,
  };
}

function joined(...parts: (string | null | undefined | false)[]): string {
  return parts.filter(Boolean).join(' · ');
}

type FoundTask = CallResult<'GET /search'>['data']['data']['tasks'][number];

/** Tasks have no page of their own. */
function placeOfTask({ company_orgnr: orgnr, completed }: FoundTask): Pick<FoundItem, 'to' | 'search'> {
  if (orgnr !== null)
    return { to: `/companies/${orgnr}`, search: { tab: 'tasks', ...(completed && { done: 'true' }) } };
  return { to: '/tasks', search: { who: 'all', ...(completed && { tab: 'done' }) } };
}
