import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { call } from '../../client/call.ts';
import { createUnlessThere } from '../../client/create-unless-there.ts';
import { useDraft } from '../../client/drafts.ts';
import { newId } from '../../client/new-id.ts';
import { CallProblem } from '../../client/problem.ts';
import { ComboBox, type Found } from '../../components/combo-box.tsx';
import { COMPANY_SEARCH } from '../../components/company-search.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useIsLeft, useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { contactsWords } from './words.ts';

type Values = Readonly<Record<string, string>>;

/** Carries a step out unless an earlier try has; the key tells the service that it is the same one again. */
type Once = (step: string, run: (idempotencyKey: string) => Promise<unknown>) => Promise<void>;

/** A person with what is known at once. What was stored before a failure is not stored again by the next try. */
export function AddContact({ onClose }: { onClose: () => void }) {
  const names = useWords(shared);
  const words = useWords(contactsWords);
  const client = useQueryClient();
  const navigate = useNavigate();
  const isLeft = useIsLeft();
  const toast = useToast();
  const done = useRef(new Set<string>());
  const [newest] = useState(newId);
  const {
    values: draft,
    field,
    set,
    keyOf,
    drop,
  } = useDraft('contact', {
    id: newest,
    name: '',
    email: '',
    telephone: '',
    company: null as Found | null,
    role: '',
    isPartly: false,
  });
  const { id, company, isPartly } = draft;
  const close = () => {
    drop();
    onClose();
  };

  const once: Once = async (step, run) => {
    if (done.current.has(step)) return;
    await run(keyOf(step));
    done.current.add(step);
  };
  const submit = async (values: Values) => {
    // The same also after a reload.
    set({ id });
    try {
      await store(id, { values, company: company?.id ?? null, once });
    } catch (error) {
      set({ isPartly: done.current.has('contact') });
      throw error;
    } finally {
      if (done.current.has('contact')) void client.invalidateQueries({ queryKey: ['contacts'] });
    }
    toast({ text: words.added(values['name']!) });
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

/** The person first; a name that was corrected after a failure is changed. */
async function store(
  id: string,
  { values, company, once }: { values: Values; company: string | null; once: Once },
): Promise<void> {
  const { name = '', email = '', telephone = '', role = '' } = values;
  const params = { id };
  let isNew = false;
  await once('contact', async () => {
    isNew = await createUnlessThere(() => call('POST /contacts', { body: { id, name, notes: '' } }));
  });
  if (!isNew) await once(`name ${name}`, () => call('PATCH /contacts/{id}', { params, body: { name } }));
  const points = [
    { field: 'email', type: 'email', value: email.trim() },
    { field: 'telephone', type: 'telephone', value: telephone.trim() },
  ] as const;
  for (const { field, type, value } of points) {
    if (value === '') continue;
    await once(`${field} ${value}`, (idempotencyKey) =>
      asField(field, call('POST /contacts/{id}/points', { params, body: { type, value }, idempotencyKey })),
    );
  }
  if (company === null) return;
  const body = { company_id: company, role: role.trim() === '' ? null : role.trim() };
  await once(`company ${JSON.stringify(body)}`, (idempotencyKey) =>
    call('POST /contacts/{id}/companies', { params, body, idempotencyKey }),
  );
}

/** An error about the value is shown where it was typed. */
async function asField(field: string, calling: Promise<unknown>): Promise<void> {
  try {
    await calling;
  } catch (error) {
    if (!(error instanceof CallProblem)) throw error;
    const { status, code, message, requestId } = error;
    const details = error.details.map((detail) => ({ ...detail, field }));
    throw new CallProblem({ status, code, error: message, details, requestId });
  }
}
