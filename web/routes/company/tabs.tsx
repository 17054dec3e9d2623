import { useQuery } from '@tanstack/react-query';
import { useFilters } from '../../client/filters.ts';
import { queryOf } from '../../client/queries.ts';
import { LinkTabs } from '../../components/link-tabs.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import type { Company } from './use-company.ts';
import { words } from './words.ts';

/** Where counting stops. */
const MAX_COUNT = 1_000;

export const countsQuery = (orgNr: string) => queryOf('GET /companies/{orgNr}/counts', { params: { orgNr } });

/** The parts of a company, with the number of contacts, open tasks and offers. */
export function CompanyTabs({ company, hasDetails }: { company: Company; hasDetails: boolean }) {
  const { values } = useFilters<'tab' | 'done'>();
  const said = useWords(words);
  const names = useWords(shared);
  const format = useFormat();
  const { data } = useQuery({
    ...countsQuery(company.orgnr),
    placeholderData: undefined,
  });
  const counts = data?.data.data;
  const shown = (count: number | undefined) =>
    count === undefined ? undefined : format.count(Math.min(count, MAX_COUNT), count > MAX_COUNT);
  const to = `/companies/${company.orgnr}`;
  // Where the details are shown beside the timeline, their address shows both.
  const first = !hasDetails && values.tab === 'details' ? values.tab : undefined;
  return (
    <LinkTabs
      label={said.sections}
      tabs={[
        { to, label: names.timeline, search: { tab: first } },
        { to, label: names.contacts, count: shown(counts?.contacts), search: { tab: 'contacts' } },
        {
          to,
          label: names.tasks,
          count: shown(counts?.open_tasks),
          search: { tab: 'tasks', done: values.done },
        },
        { to, label: names.offers, count: shown(counts?.offers), search: { tab: 'offers' } },
        ...(hasDetails ? [{ to, label: names.details, search: { tab: 'details' } }] : []),
      ]}
    />
  );
}
