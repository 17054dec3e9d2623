import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useDraft } from '../../client/drafts.ts';
import { useSession } from '../../client/session.ts';
import { ComboBox, type Found } from '../../components/combo-box.tsx';
import { COMPANY_SEARCH } from '../../components/company-search.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { NumberField } from '../../components/number-field.tsx';
import { Select } from '../../components/select.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useIsLeft, useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useLanguage } from '../../words/language.ts';
import { shared } from '../../words/shared.ts';
import { readWhole } from '../../words/whole-number.ts';
import { storeOffer } from './store-offer.ts';
import { useFrequencies } from './use-frequencies.ts';
import { useOwners } from './use-owners.ts';
import { offerWords } from './words.ts';

type Fields = {
  title: string;
  company: Found | null;
  owner: string;
  once: string;
  recurring: string;
  frequency: 'monthly' | 'quarterly' | 'yearly';
  weight: string;
};

const USUAL_WEIGHT = '50';

export function NewOffer({ onClose }: { onClose: () => void }) {
  const words = useWords(offerWords);
  const names = useWords(shared);
  const { language } = useLanguage();
  const { user } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const isLeft = useIsLeft();
  const toast = useToast();
  const owners = useOwners();
  const frequencies = useFrequencies();
  const [problem, setProblem] = useState<string>();
  const draft = useDraft<Fields>('offer', {
    title: '',
    company: null,
    owner: user.id,
    once: '0',
    recurring: '0',
    frequency: 'monthly',
    weight: USUAL_WEIGHT,
  });
  const { field, set, drop } = draft;
  const { company, owner, once, recurring, frequency, weight } = draft.values;
  const close = () => {
    drop();
    onClose();
  };

  const check = () => {
    setProblem(company ? undefined : words.chooseCompany);
    return company !== null;
  };
  const create = async (title: string) => {
    if (!company) return;
    const body = {
      title,
      company_id: company.id,
      user_id: owner,
      one_time_revenue: readWhole(once, language),
      recurring_revenue: readWhole(recurring, language),
      recurring_frequency: frequency,
      weight: readWhole(weight, language),
    };
    // A try with another company creates another offer; one with the same company corrects the first.
    const id = await storeOffer(body, draft, company.id);
    void client.invalidateQueries({ queryKey: ['offers'] });
    toast({
      text: words.created(title),
      action: names.open,
      onUndo: () => void navigate({ to: '/offers/$id', params: { id } }),
    });
    drop();
    if (!isLeft.current) onClose();
  };

  return (
    <Dialog title={words.newOffer} onClose={close}>
      <Form check={check} onSubmit={({ title = '' }) => create(title)}>
        <TextField
          name="title"
          label={words.title}
          maxLength={255}
          isRequired
          autoFocus
          {...field('title')}
        />
        <ComboBox
          label={words.company}
          placeholder={words.searchCompany}
          {...COMPANY_SEARCH}
          initial={company}
          follows
          onChoose={(found) => {
            set({ company: found });
            setProblem(undefined);
          }}
          error={problem}
        />
        <div className="form-row">
          <NumberField name="one_time_revenue" label={names.oneTime} unit={words.kr} {...field('once')} />
          <NumberField
            name="weight"
            label={words.weight}
            unit={words.percent}
            most={100}
            {...field('weight')}
          />
        </div>
        <div className="form-row">
          <NumberField
            name="recurring_revenue"
            label={words.recurring}
            unit={words.kr}
            {...field('recurring')}
          />
          <Select label={words.frequency} options={frequencies} {...field('frequency')} />
        </div>
        <Select label={names.owner} options={owners} {...field('owner')} />
        <FormButtons onCancel={close}>{names.create}</FormButtons>
      </Form>
    </Dialog>
  );
}
