import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CallResult } from '../../client/call.ts';
import { queryOf } from '../../client/queries.ts';
import { useSession } from '../../client/session.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { OfferAmount } from '../offers/offer-amount.tsx';
import { Section } from './section.tsx';
import { homeWords } from './words.ts';

type Offer = CallResult<'GET /offers/waiting'>['data']['data'][number];

/** The user's open offers that have had their status longest; everybody's if the user has none. */
export function WaitingOffers() {
  const words = useWords(homeWords);
  const { user } = useSession();
  const own = useQuery(queryOf('GET /offers/waiting', { query: { user_id: user.id } }));
  const hasOwn = own.data === undefined || own.data.data.data.length > 0;
  const all = useQuery({ ...queryOf('GET /offers/waiting'), enabled: !hasOwn });
  const { data, error, refetch } = hasOwn ? own : all;
  const offers = data?.data.data;
  return (
    <Section
      title={hasOwn ? words.yourWaiting : words.waiting}
      link={{ to: '/offers', text: words.allOffers }}
    >
      {!offers && error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!offers && !error && <Skeleton rows={4} />}
      {offers?.length === 0 && <p className="home-nothing">{words.noOffers}</p>}
      <ul>
        {offers?.map((offer) => (
          <OfferLine key={offer.id} offer={offer} showsOwner={!hasOwn} />
        ))}
      </ul>
    </Section>
  );
}

function OfferLine({ offer, showsOwner }: { offer: Offer; showsOwner: boolean }) {
  const words = useWords(homeWords);
  const { offerStatus } = useWords(shared);
  const format = useFormat();
  const { user } = offer;
  const days = -format.daysFromToday(offer.since);
  const name = `${user.first_name} ${user.last_name}`.trim();
  return (
    <li className="home-offer">
      <p>
        <Link to="/offers/$id" params={{ id: offer.id }} className="home-offer-title truncate">
          {offer.title}
        </Link>
        <OfferAmount offer={offer} />
      </p>
      <p>
        <Link
          to="/companies/$orgnr"
          params={{ orgnr: offer.company.orgnr }}
          className="home-offer-company truncate"
        >
          {offer.company.name}
        </Link>
        <span className="muted" title={format.full(offer.since)}>
          {showsOwner && `${name} · `}
          {offerStatus[offer.status]} · {days === 0 ? words.sinceToday : words.days(days)}
        </span>
      </p>
    </li>
  );
}
