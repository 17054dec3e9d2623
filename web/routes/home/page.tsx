import { lazy, Suspense } from 'react';
import { Skeleton } from '../../components/skeleton.tsx';
import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { DemoBand } from './demo-band.tsx';
import { OwnTasks } from './own-tasks.tsx';
import { useDemo } from './use-demo.ts';
import { WaitingOffers } from './waiting-offers.tsx';
import './page.css';

const Lately = lazy(() => import('./activity.tsx').then((it) => ({ default: it.Lately })));
const Starts = lazy(() => import('./starts.tsx').then((it) => ({ default: it.Starts })));

/** What needs the person now, and what the others did; where there is nothing yet, how to begin. */
export function HomePage() {
  const { home } = useWords(shared);
  const { demo, error, add, remove } = useDemo();
  const isEmpty = demo?.is_possible || demo?.state === 'adding';
  return (
    <Page title={home} toolbar={<DemoBand demo={demo} remove={remove} />}>
      {!demo && !error ? (
        <Skeleton rows={8} />
      ) : isEmpty ? (
        <Suspense fallback={<Skeleton rows={3} kind="cards" />}>
          <Starts demo={demo} add={add} />
        </Suspense>
      ) : (
        <div className="home">
          <div className="home-now">
            <OwnTasks />
            <WaitingOffers />
          </div>
          <Suspense fallback={<Skeleton rows={6} />}>
            <Lately />
          </Suspense>
        </div>
      )}
    </Page>
  );
}
