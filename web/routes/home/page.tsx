import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { loadCode } from '../../client/online.ts';
import { useSession } from '../../client/session.ts';
import { taskGroups } from '../../client/task-groups.ts';
import { Skeleton } from '../../components/skeleton.tsx';
import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { useDemo } from './use-demo.ts';
import './page.css';

const OwnTasks = lazy(() =>
  loadCode(() => import('./own-tasks.tsx')).then((it) => ({ default: it.OwnTasks })),
);
const DemoBand = lazy(() =>
  loadCode(() => import('./demo-band.tsx')).then((it) => ({ default: it.DemoBand })),
);
const WaitingOffers = lazy(() =>
  loadCode(() => import('./waiting-offers.tsx')).then((it) => ({ default: it.WaitingOffers })),
);
const Lately = lazy(() => loadCode(() => import('./activity.tsx')).then((it) => ({ default: it.Lately })));
const Starts = lazy(() => loadCode(() => import('./starts.tsx')).then((it) => ({ default: it.Starts })));

/** What the user has to do now, and what happened lately; in an empty workspace, how to begin. */
export function HomePage() {
  const { home } = useWords(shared);
  const { demo, error, add, remove } = useDemo();
  const { user } = useSession();
  const groups = useQuery(taskGroups(user.id)).data?.data.data.groups;
  const hasTasks = groups?.some(({ group, count }) => group !== 'done' && count > 0);
  const isEmpty = demo?.is_possible || demo?.state === 'adding';
  return (
    <Page
      title={home}
      toolbar={
        demo && demo.state !== 'none' ? (
          <Suspense>
            <DemoBand demo={demo} remove={remove} />
          </Suspense>
        ) : null
      }
    >
      {!demo && !error ? (
        <Skeleton rows={8} />
      ) : isEmpty ? (
        <Suspense fallback={<Skeleton rows={3} kind="cards" />}>
          <Starts demo={demo} add={add} />
          {hasTasks && (
            <div className="home">
              <OwnTasks />
            </div>
          )}
        </Suspense>
      ) : (
        <div className="home">
          <div className="home-now">
            <Suspense fallback={<Skeleton rows={8} />}>
              <OwnTasks />
              <WaitingOffers />
            </Suspense>
          </div>
          <Suspense fallback={<Skeleton rows={6} />}>
            <Lately />
          </Suspense>
        </div>
      )}
    </Page>
  );
}
