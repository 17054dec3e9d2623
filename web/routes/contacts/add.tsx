import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
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

type Storing = {
  values: Values;
  isNew: boolean;
  /** The key tells the service that it is the same request again. */
  keyOf: (body: unknown) => string;
  onRemoved: () => void;
};

/** A person with what is known at once. What was stored before a failure is not stored again by the next try. */
export function AddContact({ onClose }: { onClose: () => void }) {
  const names = useWords(shared);
  const words = useWords(contactsWords);
  const client = useQueryClient();
  const navigate = useNavigate();
  const isLeft = useIsLeft();
  const toast = useToast();
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
    removals: 0,
  });
  const { id, company, isPartly, removals } = draft;
  const close = () => {
    drop();
    onClose();
  };

  const submit = async (values: Values) => {
    const { name = '', role = '' } = values;
    const body = { name: name.trim() };
    const params = { id };
    let isStored = isPartly;
    // The same also after a reload.
    set({ id });
    try {
      const isNew =
        !isStored &&
        (await createUnlessThere(() => call('POST /contacts', { body: { id, ...body, notes: '' } })));
      isStored = true;
      if (!isNew) await call('PATCH /contacts/{id}', { params, body });
      await storePoints(id, {
        values,
        isNew,
        // What was removed and is added again is another request.
        keyOf: (point) => keyOf({ point, removals }),
        onRemoved: () => set({ removals: removals + 1 }),
      });
      if (company) {
        const link = { company_id: company.id, role: role.trim() || null };
        await call('POST /contacts/{id}/companies', { params, body: link, idempotencyKey: keyOf(link) });
      }
    } catch (error) {
      set({ isPartly: isStored });
      throw error;
    } finally {
      if (isStored) void client.invalidateQueries({ queryKey: ['contacts'] });
    }
    toast({ text: words.added(body.name) });
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

/** What is stored of the person already is corrected. */
async function storePoints(id: string, { values, isNew, keyOf, onRemoved }: Storing): Promise<void> {
  const params = { id };
  const stored = isNew ? [] : (await call('GET /contacts/{id}/points', { params })).data.data;
  for (const type of ['email', 'telephone'] as const) {
    const value = (values[type] ?? '').trim();
    const point = stored.find((one) => one.type === type);
    if (point ? point.value === value : value === '') continue;
    const pointParams = { ...params, pointId: String(point?.id) };
    if (!point) {
      const body = { type, value };
      const idempotencyKey = keyOf(body);
      await asField(type, call('POST /contacts/{id}/points', { params, body, idempotencyKey }));
    } else if (value === '') {
      await call('DELETE /contacts/{id}/points/{pointId}', { params: pointParams });
      onRemoved();
    } else {
      const body = { value };
      await asField(type, call('PATCH /contacts/{id}/points/{pointId}', { params: pointParams, body }));
    }
  }
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
