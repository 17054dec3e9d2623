import { Skeleton } from '../../components/skeleton.tsx';
import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { Lately } from './activity.tsx';
import { DemoBand } from './demo-band.tsx';
import { OwnTasks } from './own-tasks.tsx';
import { Starts } from './starts.tsx';
import { useDemo } from './use-demo.ts';
import { WaitingOffers } from './waiting-offers.tsx';
import './page.css';

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
        <Starts demo={demo} add={add} />
      ) : (
        <div className="home">
          <div className="home-now">
            <OwnTasks />
            <WaitingOffers />
          </div>
          <Lately />
        </div>
      )}
    </Page>
  );
}
