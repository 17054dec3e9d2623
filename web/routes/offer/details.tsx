import { COMPANY_SEARCH, namedCompany } from '../../components/company-search.ts';
import { EditComboBox, EditSelect } from '../../components/edit-choice.tsx';
import { EditText } from '../../components/edit-text.tsx';
import { Status, TONES } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { STATUSES, type Card } from '../offers/board-data.ts';
import { useFrequencies } from '../offers/use-frequencies.ts';
import { useOwners } from '../offers/use-owners.ts';
import { EditNumber } from './edit-number.tsx';
import type { useOffer } from './use-offer.ts';
import { words } from './words.ts';

const MOST = Number.MAX_SAFE_INTEGER;

/** Every field of an offer, edited in place. */
export function Details({
  card,
  offer: { save, begin },
}: {
  card: Card;
  offer: Pick<ReturnType<typeof useOffer>, 'save' | 'begin'>;
}) {
  const said = useWords(words);
  const names = useWords(shared);
  const format = useFormat();
  const frequencies = useFrequencies();
  const owners = useOwners();
  const ownerName = `${card.owner.first_name} ${card.owner.last_name}`;
  // Somebody who has left the workspace can still be the owner of an offer.
  const options = owners.some(({ id }) => id === card.user_id)
    ? owners
    : [{ id: card.user_id, label: ownerName }, ...owners];
  return (
    <div className="offer-fields">
      <section>
        <h2>{names.details}</h2>
        <EditText
          label={said.title}
          value={card.title}
          isRequired
          onBegin={() => begin('title')}
          onSave={async (title) => title !== null && save({ title })}
        />
        <EditSelect
          label={names.status}
          options={STATUSES.map((id) => ({ id, label: names.offerStatus[id] }))}
          value={card.status}
          shown={
            <span className="offer-since">
              <Status tone={TONES[card.status] ?? 'neutral'}>{names.offerStatus[card.status]}</Status>
              <span className="muted">
                <span className="visually-hidden">{`${said.since}: `}</span>
                <Time at={card.status_since} inRow />
              </span>
            </span>
          }
          onBegin={() => begin('status')}
          onSave={(status) => save({ status })}
        />
        <EditComboBox
          label={names.company}
          value={{ id: card.company.id, label: card.company.name }}
          {...COMPANY_SEARCH}
          isRequired
          onBegin={() => begin('company_id')}
          onSave={async (found) => found && save({ company_id: found.id }, { company: namedCompany(found) })}
        />
        <EditSelect
          label={names.owner}
          options={options}
          value={card.user_id}
          onBegin={() => begin('user_id')}
          onSave={(user_id) => save({ user_id })}
        />
        <EditText
          label={said.description}
          value={card.description}
          rows={4}
          maxLength={20_000}
          onBegin={() => begin('description')}
          onSave={(description) => save({ description })}
        />
      </section>
      <section>
        <h2>{said.money}</h2>
        <EditNumber
          label={names.oneTime}
          value={card.one_time_revenue}
          shown={format.amount(card.one_time_revenue)}
          unit={said.kr}
          most={MOST}
          onBegin={() => begin('one_time_revenue')}
          onSave={(one_time_revenue) => save({ one_time_revenue })}
        />
        <EditNumber
          label={said.recurring}
          value={card.recurring_revenue}
          shown={format.amount(card.recurring_revenue)}
          unit={said.kr}
          most={MOST}
          onBegin={() => begin('recurring_revenue')}
          onSave={(recurring_revenue) => save({ recurring_revenue })}
        />
        <EditSelect
          label={said.frequency}
          options={frequencies}
          value={card.recurring_frequency}
          onBegin={() => begin('recurring_frequency')}
          onSave={(recurring_frequency) => save({ recurring_frequency })}
        />
        <EditNumber
          label={said.weight}
          value={card.weight}
          shown={format.percent(card.weight)}
          unit={said.percent}
          most={100}
          isDisabled={card.status === 'accepted'}
          onBegin={() => begin('weight')}
          onSave={(weight) => save({ weight })}
        />
        {card.status === 'accepted' && <p className="offer-hint muted">{said.weightHint}</p>}
        <Worth card={card} />
      </section>
    </div>
  );
}

const PERIODS = { monthly: 12n, quarterly: 4n, yearly: 1n };

/** The revenue of the first year, and its product with the weight, computed as in the sums. */
function Worth({ card }: { card: Card }) {
  const said = useWords(words);
  const format = useFormat();
  const year =
    BigInt(card.one_time_revenue) + BigInt(card.recurring_revenue) * PERIODS[card.recurring_frequency];
  const weighted = (year * BigInt(card.weight) + 50n) / 100n;
  return (
    <dl className="offer-worth" aria-label={said.worth}>
      <dt>{said.perYear}</dt>
      <dd className="numeric">{format.amount(year)}</dd>
      <dt>{said.weighted}</dt>
      <dd className="numeric">{format.amount(weighted)}</dd>
    </dl>
  );
}
