import { useState } from 'react';
import { call } from '../../client/call.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { Select } from '../../components/select.tsx';
import { useWords } from '../../words/dictionary.ts';
import { nameOf, newKeyOf, type Key, type NewKey } from './access.ts';
import { words } from './words.ts';

/** Hours for which the old key works beside the new one. */
const OVERLAPS = ['0', '1', '24', '168', '720'] as const;
export type Overlap = (typeof OVERLAPS)[number];

export function RotateKey({
  target,
  onCreated,
  onClose,
}: {
  target: Key;
  onCreated: (created: NewKey, overlap: Overlap) => void;
  onClose: () => void;
}) {
  const said = useWords(words);
  const [overlap, setOverlap] = useState<Overlap>('24');
  return (
    <Dialog title={said.rotateTitle(nameOf(target))} onClose={onClose}>
      <p>{said.rotateText}</p>
      <Form
        ownWords={{ key_ended: said.replacedText, limit_reached: said.tooMany }}
        onSubmit={async () => {
          const body = { overlap_hours: Number(overlap) };
          const rotating = call('POST /keys/{id}/rotate', { params: { id: target.id }, body });
          onCreated(await newKeyOf(rotating, said.maybeRotated), overlap);
        }}
      >
        <Select
          label={said.oldLasts}
          options={OVERLAPS.map((hours) => ({ id: hours, label: said.overlaps[hours] }))}
          value={overlap}
          onChange={setOverlap}
          autoFocus
        />
        <FormButtons onCancel={onClose}>{said.rotateAction}</FormButtons>
      </Form>
    </Dialog>
  );
}
