import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../client/call.ts';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { useProblemText } from '../../words/problems.ts';
import { contactQuery, type Whole } from './queries.ts';
import { contactWords } from './words.ts';

/** Says what is removed and what stays, and erases the person only in the state that is shown. */
export function EraseDialog({
  whole: { contact, etag, points, links },
  onErased,
  onClose,
}: {
  whole: Whole;
  onErased: () => void;
  onClose: () => void;
}) {
  const words = useWords(contactWords);
  const format = useFormat();
  const problemText = useProblemText();
  const client = useQueryClient();
  const { id, name } = contact;
  const erase = useMutation({
    mutationFn: () => call('DELETE /contacts/{id}', { params: { id }, ifMatch: etag }),
    onSuccess() {
      onErased();
      client.removeQueries({ queryKey: contactQuery(id).queryKey });
      void client.invalidateQueries({ queryKey: ['contacts'] });
      void client.invalidateQueries({ queryKey: ['search'] });
    },
    onError: () => void client.invalidateQueries({ queryKey: contactQuery(id).queryKey }),
  });
  return (
    <ConfirmDialog
      title={words.eraseTitle(name)}
      action={words.eraseAction(name)}
      isPending={erase.isPending}
      onConfirm={() => erase.mutate()}
      onClose={onClose}
    >
      <div className="stack">
        <p>{words.eraseGoes(format.number(points.length), format.number(links.length))}</p>
        <p className="muted">{words.eraseStays}</p>
        <p role="alert" className="form-problem">
          {erase.isError && problemText(erase.error, { precondition_failed: words.eraseSeen })}
        </p>
      </div>
    </ConfirmDialog>
  );
}
