import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.ts';
import { useDraft } from '../../client/drafts.ts';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { Select } from '../../components/select.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useIsLeft } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { addPoint } from '../contacts/add-rows.ts';
import { useOverSeen } from './over-seen.ts';
import { contactQuery, withRow, type Point, type PointType } from './queries.ts';
import { contactWords } from './words.ts';

const TYPES: readonly PointType[] = ['email', 'mobile', 'telephone', 'other'];
const INPUTS = { email: 'email', mobile: 'tel', telephone: 'tel', other: 'text' } as const;

/** A form for a detail: in the place of its row or, for a new one, below the rows. */
export function PointForm({
  contact,
  point,
  isGone = false,
  onDone,
}: {
  contact: string;
  point?: Point;
  /** Whether somebody else has removed the detail: it can be added again. */
  isGone?: boolean;
  onDone: () => void;
}) {
  const names = useWords(shared);
  const words = useWords(contactWords);
  const client = useQueryClient();
  const [initial] = useState<Pick<Point, 'type' | 'value' | 'label'>>(
    point ?? { type: 'email', value: '', label: '' },
  );
  const draft = useDraft(point ? undefined : `point ${contact}`, initial);
  const { field, drop } = draft;
  const { type } = draft.values;
  const isLeft = useIsLeft();
  const textOf = (one: Omit<Point, 'id'>) =>
    [one.value, words.types[one.type], one.label].filter((text) => text !== '').join(', ');
  const { writeOver } = useOverSeen(
    contact,
    ({ points }) => points.filter(({ id }) => id === point?.id).map(textOf)[0],
    point && textOf(point),
  );

  const show = (stored: Point) =>
    client.setQueryData(
      contactQuery(contact).queryKey,
      (old) => old && { ...old, points: withRow(old.points, stored) },
    );
  const submit = async ({ value = '', label = '' }: Readonly<Record<string, string>>) => {
    const body = { type, value: value.trim(), label: label.trim() };
    if (point && !isGone) {
      const params = { id: contact, pointId: String(point.id) };
      const answer = await writeOver({
        write: (ifMatch) => call('PATCH /contacts/{id}/points/{pointId}', { params, body, ifMatch }),
        wanted: textOf(body),
      });
      if (answer) show(answer.data.data);
    } else show({ id: await addPoint(contact, body, draft), ...body });
    void client.invalidateQueries({ queryKey: ['contacts'] });
    drop();
    if (!isLeft.current) onDone();
  };

  const cancel = () => {
    drop();
    onDone();
  };

  return (
    <div className="contact-form">
      <Form onSubmit={submit} onCancel={cancel}>
        {isGone && (
          <p role="status" className="form-problem">
            {words.removedMeanwhile}
          </p>
        )}
        <div className="contact-fields">
          <Select
            label={words.type}
            options={TYPES.map((id) => ({ id, label: words.types[id] }))}
            {...field('type')}
          />
          <TextField
            name="value"
            label={words.value}
            type={INPUTS[type]}
            isRequired
            maxLength={type === 'email' ? 254 : 255}
            autoComplete="off"
            autoFocus
            {...field('value')}
          />
          <TextField
            name="label"
            label={words.label}
            isRequired={type === 'other'}
            maxLength={255}
            placeholder={words.labelHint}
            autoComplete="off"
            {...field('label')}
          />
        </div>
        <FormButtons onCancel={cancel} size="small">
          {point && !isGone ? names.save : names.add}
        </FormButtons>
      </Form>
    </div>
  );
}
