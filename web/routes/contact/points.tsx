import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../client/call.ts';
import { useMutationWithUndo } from '../../client/undo.ts';
import { BreakableAddress } from '../../components/breakable-address.tsx';
import { Button } from '../../components/button.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { useWords } from '../../words/dictionary.ts';
import { mailAddress } from './mail.ts';
import { PointForm } from './point-form.tsx';
import { contactQuery, type Point, type PointType } from './queries.ts';
import { useRowForms } from './row-forms.ts';
import { telephoneAddress } from './telephone.ts';
import { contactWords } from './words.ts';

const ICONS: Record<PointType, IconName> = {
  email: 'mail',
  mobile: 'phone',
  telephone: 'phone',
  other: 'link',
};

/** How to reach a person: each can be used, corrected and removed. */
export function Points({ contact, points }: { contact: string; points: readonly Point[] }) {
  const words = useWords(contactWords);
  const { list, rows, isGone, isOpen, open, close, focusNew } = useRowForms(points);
  const remove = useRemovePoint(contact);
  return (
    <section className="contact-section" aria-labelledby="contact-reach">
      <h2 id="contact-reach">{words.reach}</h2>
      {rows.length === 0 && !isOpen('new') && <p className="muted">{words.noReach}</p>}
      <ul ref={list}>
        {rows.map((point) => (
          <li key={point.id} data-row={point.id}>
            {isOpen(point.id) ? (
              <PointForm
                contact={contact}
                point={point}
                isGone={isGone(point)}
                onDone={() => close(point.id)}
              />
            ) : (
              <PointRow
                point={point}
                onEdit={() => open(point.id, point)}
                onRemove={() => {
                  remove.mutate(point);
                  focusNew();
                }}
              />
            )}
          </li>
        ))}
        <li data-row="new">
          {isOpen('new') ? (
            <PointForm contact={contact} onDone={() => close('new')} />
          ) : (
            <Button kind="quiet" size="small" icon="plus" onPress={() => open('new')}>
              {words.addPoint}
            </Button>
          )}
        </li>
      </ul>
    </section>
  );
}

function PointRow({
  point: { type, label, value },
  onEdit,
  onRemove,
}: {
  point: Point;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const words = useWords(contactWords);
  const address = addressOf(type, value);
  return (
    <div className="contact-row">
      <Icon name={ICONS[type]} />
      <span className="contact-row-text">
        {address ? (
          <a href={address}>
            <span>{type === 'email' ? <BreakableAddress address={value} /> : value}</span>
          </a>
        ) : (
          <span>{value}</span>
        )}
        <span className="muted">{label === '' ? words.types[type] : label}</span>
      </span>
      <IconButton icon="edit" label={words.edit(value)} onPress={onEdit} />
      <IconButton icon="trash" label={words.remove(value)} onPress={onRemove} />
    </div>
  );
}

/** Only addresses and numbers become links: anybody may have written the rest. */
function addressOf(type: PointType, value: string): string | undefined {
  if (type === 'email') return mailAddress(value);
  return type === 'other' ? undefined : telephoneAddress(value);
}

/** Undo adds the detail again, as the last one and with a new id. */
function useRemovePoint(contact: string) {
  const words = useWords(contactWords);
  const client = useQueryClient();
  const params = { id: contact };
  return useMutationWithUndo<Point, unknown>({
    run: ({ id }) =>
      call('DELETE /contacts/{id}/points/{pointId}', { params: { ...params, pointId: String(id) } }),
    undo: ({ type, label, value }, _result, idempotencyKey) =>
      call('POST /contacts/{id}/points', { params, body: { type, label, value }, idempotencyKey }),
    of: ({ id }) => `point ${id}`,
    text: ({ value }) => words.pointRemoved(value),
    show: ({ id }) =>
      client.setQueryData(contactQuery(contact).queryKey, (old) =>
        old ? { ...old, points: old.points.filter((point) => point.id !== id) } : old,
      ),
    keys: [['contacts']],
  });
}
