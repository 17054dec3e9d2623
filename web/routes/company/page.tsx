import { useParams } from '@tanstack/react-router';
import { useFilters } from '../../client/filters.ts';
import type { Prefetch } from '../../client/prefetch.ts';
import { useMissing } from '../../client/use-missing.ts';
import { useMedia } from '../../components/media.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { CompanyActions } from './actions.tsx';
import { CompanyBands } from './bands.tsx';
import { ContactsTab } from './contacts-tab.tsx';
import { Details } from './details.tsx';
import { Facts } from './facts.tsx';
import { Missing } from './missing.tsx';
import { OffersTab } from './offers-tab.tsx';
import { CompanyTabs, countsQuery } from './tabs.tsx';
import { TasksTab } from './tasks-tab.tsx';
import { Timeline, timelineQuery } from './timeline.tsx';
import { companyQuery, useCompany, type Company } from './use-company.ts';
import './company.css';

export const prefetch: Prefetch = ({ client, params: { orgnr = '' }, search: { tab } }) => {
  void client.prefetchQuery(companyQuery(orgnr));
  void client.prefetchQuery(countsQuery(orgnr));
  if (tab === undefined) void client.prefetchInfiniteQuery(timelineQuery(orgnr));
};

export function CompanyPage() {
  const { orgnr } = useParams({ from: '/inside/companies/$orgnr' });
  // The key gives each company a state of its own.
  return <CompanyByNumber key={orgnr} orgnr={orgnr} />;
}

function CompanyByNumber({ orgnr }: { orgnr: string }) {
  const { company: title } = useWords(shared);
  const { data, error, refetch } = useCompany(orgnr);
  const missing = useMissing({ data, error });
  if (data) return <CompanyView company={data.data.data} />;
  if (missing) return <Missing orgnr={orgnr} />;
  return (
    <Page title={title}>
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton rows={8} />}
    </Page>
  );
}

function CompanyView({ company }: { company: Company }) {
  const isRoomy = useMedia('roomy');
  const { details } = useWords(shared);
  const { values } = useFilters<'tab'>();
  const tab = isRoomy && values.tab === 'details' ? undefined : values.tab;
  return (
    <Page
      title={company.name}
      actions={<CompanyActions company={company} />}
      toolbar={
        <>
          <CompanyBands company={company} />
          <Facts company={company} />
          <CompanyTabs company={company} hasDetails={!isRoomy} />
        </>
      }
    >
      <div className="company">
        <div className="company-main">
          <Tab tab={tab} company={company} />
        </div>
        {isRoomy && (
          <aside className="company-aside" aria-label={details}>
            <Details company={company} />
          </aside>
        )}
      </div>
    </Page>
  );
}

function Tab({ tab, company }: { tab: string | undefined; company: Company }) {
  const canWrite = !company.is_deleted;
  switch (tab) {
    case 'contacts':
      return <ContactsTab company={company} />;
    case 'tasks':
      return <TasksTab company={company} />;
    case 'offers':
      return <OffersTab company={company} />;
    case 'details':
      return <Details company={company} />;
    default:
      return <Timeline orgnr={company.orgnr} canWrite={canWrite} />;
  }
}
