import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMembers } from '../../client/members.ts';
import { queryOf } from '../../client/queries.ts';
import { useSession } from '../../client/session.ts';
import { Entry, EntryList } from '../../components/entry-list.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { activityWords } from './activity-words.ts';
import { Section } from './section.tsx';
import { sayActor, sayDeeds, type Activity } from './say.ts';
import { homeWords } from './words.ts';

export type Words = {
  words: ReturnType<typeof useWords<(typeof activityWords)['nb']>>;
  names: ReturnType<typeof useWords<(typeof shared)['nb']>>;
};

/** What happened lately, in sentences: who did what at which company. */
export function Lately() {
  const words = useWords(homeWords);
  const query = useQuery(queryOf('GET /activity', { query: { limit: 12 } }));
  const activities = query.data?.data.data;
  return (
    <Section title={words.lately} link={{ to: '/settings/history', text: words.history }}>
      {!activities && query.error && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {!activities && !query.error && <Skeleton rows={6} />}
      {activities?.length === 0 && <p className="home-nothing">{words.nothing}</p>}
      <EntryList>
        {activities?.map((activity) => (
          <Line key={`${activity.at} ${activity.deeds[0]?.resource_id}`} activity={activity} />
        ))}
      </EntryList>
    </Section>
  );
}

function Line({ activity }: { activity: Activity }) {
  const words = useWords(activityWords);
  const names = useWords(shared);
  const format = useFormat();
  const { user } = useSession();
  const { nameOf, isReady } = useMembers();
  const { company, contact, others } = activity;
  const deeds = sayDeeds(activity, {
    words,
    names,
    memberOf: (id) => nameOf(id) ?? (isReady ? words.formerMember : '…'),
  });
  const isDemo = activity.actor.kind === 'command' && activity.actor.id === 'demo';
  return (
    <Entry className="home-line">
      <p>
        <b>{sayActor(activity.actor, { words, names }, user.id)}</b> {format.list(deeds)}
        {company && !isDemo && (
          <>
            {'\u00A0· '}
            <Link to="/companies/$orgnr" params={{ orgnr: company.orgnr }}>
              {company.name}
            </Link>
          </>
        )}
        {!company && contact && (
          <>
            {'\u00A0· '}
            <Link to="/contacts/$id" params={{ id: contact.id }}>
              {contact.name}
            </Link>
          </>
        )}
        {others > 0 && !isDemo && ` ${words.others(others)}`}
      </p>
      <Time at={activity.at} />
    </Entry>
  );
}
