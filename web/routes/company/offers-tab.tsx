import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call, type CallResult } from '../../client/call.ts';
import { useMembers } from '../../client/members.ts';
import { listOf } from '../../client/queries.ts';
import { useSession } from '../../client/session.ts';
import { Button } from '../../components/button.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { NumberField } from '../../components/number-field.tsx';
import { PersonName } from '../../components/person-name.tsx';
import { Select } from '../../components/select.tsx';
import { Status, TONES } from '../../components/status.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { useLanguage } from '../../words/language.ts';
import { shared } from '../../words/shared.ts';
import { readWhole } from '../../words/whole-number.ts';
import { storeOffer } from '../offers/store-offer.ts';
import { TabList } from './tab-list.tsx';
import { useAdding, useAddingDraft } from './use-adding.ts';
import type { Company } from './use-company.ts';
import { words } from './words.ts';

type Offer = CallResult<'GET /offers'>['data']['data'][number];

/** The offers to the company, those that changed last first. */
export function OffersTab({ company }: { company: Company }) {
  const said = useWords(words);
  const names = useWords(shared);
  const found = useInfiniteQuery({
    ...listOf('GET /offers', { query: { company_id: company.id, sort: '-updated_at' } }),
    placeholderData: undefined,
  });
  const adding = useAdding({
    label: said.addOffer,
    group: names.offers,
    keys: 'n',
    isAllowed: !company.is_deleted,
  });
  return (
    <section className="company-tab" aria-label={names.offers}>
      {adding.isOpen ? (
        <OfferForm company={company} adding={adding} />
      ) : (
        !company.is_deleted && (
          <div>
            <Button id={adding.buttonId} icon="plus" onPress={adding.open}>
              {said.addOffer}
            </Button>
          </div>
        )
      )}
      <TabList found={found} empty={said.offersEmpty}>
        {(offers) => (
          <ul className="company-list">
            {offers.map((offer) => (
              <OfferRow key={offer.id} offer={offer} />
            ))}
          </ul>
        )}
      </TabList>
    </section>
  );
}

function OfferRow({ offer }: { offer: Offer }) {
  const said = useWords(words);
  const names = useWords(shared);
  const format = useFormat();
  const { nameOf, isReady } = useMembers();
  const { one_time_revenue: once, recurring_revenue: recurring, recurring_frequency: frequency } = offer;
  return (
    <li className="company-row">
      <div className="company-row-main">
        <Link to="/offers/$id" params={{ id: offer.id }}>
          {offer.title}
        </Link>
        <span className="company-row-more">
          {once > 0 && <span>{format.amount(once)}</span>}
          {recurring > 0 && (
            <span>{`${format.amount(recurring)} ${names.frequency[frequency].toLowerCase()}`}</span>
          )}
          <span>{said.weight(format.percent(offer.weight))}</span>
        </span>
      </div>
      <div className="company-row-end">
        <Status tone={TONES[offer.status] ?? 'neutral'}>{names.offerStatus[offer.status]}</Status>
        <PersonName name={nameOf(offer.user_id) ?? (isReady ? said.formerMember : '…')} />
      </div>
    </li>
  );
}

type Fields = { title: string; once: string; recurring: string; frequency: Offer['recurring_frequency'] };

function OfferForm({ company, adding }: { company: Company; adding: ReturnType<typeof useAdding> }) {
  const said = useWords(words);
  const names = useWords(shared);
  const { language } = useLanguage();
  const { user } = useSession();
  const draft = useAddingDraft<Fields>(adding, `offer ${company.id}`, {
    title: '',
    once: '0',
    recurring: '0',
    frequency: 'monthly',
  });
  const { field, cancel, done } = draft;
  const { once, recurring, frequency } = draft.values;
  const add = async ({ title = '' }: Readonly<Record<string, string>>) => {
    const body = {
      title: title.trim(),
      company_id: company.id,
      user_id: user.id,
      one_time_revenue: readWhole(once, language),
      recurring_revenue: readWhole(recurring, language),
      recurring_frequency: frequency,
    };
    const id = await storeOffer(body, draft);
    await done(said.offerAdded, 'offers', {
      of: `offer ${id}`,
      run: () => call('DELETE /offers/{id}', { params: { id } }),
    });
  };
  return (
    <div className="company-form">
      <Form onSubmit={add} onCancel={cancel}>
        <TextField
          name="title"
          label={said.offerTitle}
          maxLength={255}
          isRequired
          autoFocus
          {...field('title')}
        />
        <div className="form-row">
          <NumberField
            name="one_time_revenue"
            label={said.oneTime}
            unit={said.amountUnit}
            {...field('once')}
          />
          <NumberField
            name="recurring_revenue"
            label={said.recurring}
            unit={said.amountUnit}
            {...field('recurring')}
          />
          <Select
            label={said.frequency}
            options={(['monthly', 'quarterly', 'yearly'] as const).map((each) => ({
              id: each,
              label: names.frequency[each],
            }))}
            {...field('frequency')}
          />
        </div>
        <FormButtons onCancel={cancel}>{names.add}</FormButtons>
      </Form>
    </div>
  );
}
