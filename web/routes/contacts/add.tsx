import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDraft } from '../../client/drafts.ts';
import { ComboBox, type Found } from '../../components/combo-box.tsx';
import { COMPANY_SEARCH } from '../../components/company-search.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useIsLeft, useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { NOTHING_STORED, storeContact } from './store.ts';
import { contactsWords } from './words.ts';

/**
 * The form for a new contact, with its first details and a company. What was stored before a failure is not stored
 * again by the next try.
 */
export function AddContact({ onClose }: { onClose: () => void }) {
  const names = useWords(shared);
  const words = useWords(contactsWords);
  const client = useQueryClient();
  const navigate = useNavigate();
  const isLeft = useIsLeft();
  const toast = useToast();
  const {
    values: draft,
    field,
    set,
    idOf,
    keyOf,
    forgetSent,
    drop,
  } = useDraft('contact', {
    name: '',
    email: '',
    telephone: '',
    company: null as Found | null,
    role: '',
    ...NOTHING_STORED,
  });
  const { company, isPartly } = draft;
  const close = () => {
    drop();
    onClose();
  };

  const submit = async (values: Readonly<Record<string, string>>) => {
    const id = await storeContact(values, company?.id, { draft, set, idOf, keyOf, forgetSent, client });
    toast({ text: words.added((values.name ?? '').trim()) });
    drop();
    if (isLeft.current) return;
    onClose();
    void navigate({ to: '/contacts/$id', params: { id } });
  };

  return (
    <Dialog title={words.addContact} onClose={close}>
      <Form onSubmit={submit}>
        {isPartly && <p role="status">{words.partly}</p>}
        <TextField
          name="name"
          label={names.name}
          isRequired
          autoFocus
          maxLength={255}
          autoComplete="off"
          {...field('name')}
        />
        <div className="form-row">
          <TextField
            name="email"
            label={words.email}
            type="email"
            maxLength={254}
            autoComplete="off"
            {...field('email')}
          />
          <TextField
            name="telephone"
            label={words.telephone}
            type="tel"
            maxLength={255}
            autoComplete="off"
            {...field('telephone')}
          />
        </div>
        <div className="form-row">
          <ComboBox
            label={words.company}
            placeholder={words.companyHint}
            {...COMPANY_SEARCH}
            initial={company}
            follows
            onChoose={(found) => set({ company: found })}
          />
          <TextField
            name="role"
            label={words.role}
            maxLength={255}
            isDisabled={company === null}
            {...field('role')}
          />
        </div>
        <FormButtons onCancel={close}>{names.create}</FormButtons>
      </Form>
    </Dialog>
  );
}
