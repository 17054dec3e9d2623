import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { call } from '../../client/call.ts';
import { newId } from '../../client/new-id.ts';
import { useSession } from '../../client/session.ts';
import { ComboBox, type Found } from '../../components/combo-box.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { NumberField } from '../../components/number-field.tsx';
import { Select } from '../../components/select.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { COMPANY_SEARCH, findCompanies } from './find-companies.ts';
import { useFrequencies } from './use-frequencies.ts';
import { useOwners } from './use-owners.ts';
import { offerWords } from './words.ts';

type Frequency = 'monthly' | 'quarterly' | 'yearly';

const MOST = Number.MAX_SAFE_INTEGER;
const USUAL_WEIGHT = 50;

/** A new offer; `company` where the place says which. */
export function NewOffer({ company: given, onClose }: { company?: Found; onClose: () => void }) {
  const words = useWords(offerWords);
  const names = useWords(shared);
  const { user } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const owners = useOwners();
  const frequencies = useFrequencies();
  const [company, setCompany] = useState<Found | null>(given ?? null);
  const [problem, setProblem] = useState<string>();
  const [owner, setOwner] = useState(user.id);
  const [once, setOnce] = useState(0);
  const [recurring, setRecurring] = useState(0);
  const [frequency, setFrequency] = useState<Frequency>('monthly');
  const [weight, setWeight] = useState(USUAL_WEIGHT);
  // A repeat after a lost answer does not create a second one.
  const sent = useRef({ text: '', key: '' });

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
      one_time_revenue: once,
      recurring_revenue: recurring,
      recurring_frequency: frequency,
      weight,
    };
    const text = JSON.stringify(body);
    if (sent.current.text !== text) sent.current = { text, key: newId() };
    const { data } = await call('POST /offers', { body, idempotencyKey: sent.current.key });
    void client.invalidateQueries({ queryKey: ['offers'] });
    toast({
      text: words.created(title),
      action: names.open,
      onUndo: () => void navigate({ to: '/offers/$id', params: { id: data.data.id } }),
    });
    onClose();
  };

  return (
    <Dialog title={words.newOffer} onClose={onClose}>
      <Form check={check} onSubmit={({ title = '' }) => create(title)}>
        <TextField name="title" label={words.title} maxLength={255} isRequired autoFocus />
        <ComboBox
          label={words.company}
          placeholder={words.searchCompany}
          searchKey={COMPANY_SEARCH}
          search={findCompanies}
          initialText={given?.label ?? ''}
          onChoose={(found) => {
            setCompany(found);
            setProblem(undefined);
          }}
          error={problem}
        />
        <div className="form-row">
          <NumberField
            label={names.oneTime}
            unit={words.kr}
            value={once}
            onChange={(value) => setOnce(value || 0)}
            minValue={0}
            maxValue={MOST}
          />
          <NumberField
            label={words.weight}
            unit={words.percent}
            value={weight}
            onChange={(value) => setWeight(value || 0)}
            minValue={0}
            maxValue={100}
          />
        </div>
        <div className="form-row">
          <NumberField
            label={words.recurring}
            unit={words.kr}
            value={recurring}
            onChange={(value) => setRecurring(value || 0)}
            minValue={0}
            maxValue={MOST}
          />
          <Select label={words.frequency} options={frequencies} value={frequency} onChange={setFrequency} />
        </div>
        <Select label={names.owner} options={owners} value={owner} onChange={setOwner} />
        <FormButtons onCancel={onClose}>{names.create}</FormButtons>
      </Form>
    </Dialog>
  );
}
