import { useMutation } from '@tanstack/react-query';
import { call } from '../../client/call.ts';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { useTellIfLeft, useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { useProblemText } from '../../words/problems.ts';
import { nameOf, type Key } from './access.ts';
import { words } from './words.ts';

export function RevokeKey({
  target,
  onRevoked,
  onClose,
}: {
  target: Key;
  onRevoked: () => void;
  onClose: () => void;
}) {
  const { id, last_used_at: used, requests_24h: requests } = target;
  const name = nameOf(target);
  const said = useWords(words);
  const format = useFormat();
  const text = useProblemText();
  const toast = useToast();
  const tellIfLeft = useTellIfLeft();
  const revoke = useMutation({
    mutationFn: () => call('POST /keys/{id}/revoke', { params: { id } }),
    onSuccess() {
      toast({ text: said.revoked(name) });
      onRevoked();
    },
    onError: (error) => tellIfLeft(text(error)),
  });
  return (
    <ConfirmDialog
      title={said.revokeTitle(name)}
      action={said.revokeAction(name)}
      isPending={revoke.isPending}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <div className="stack">
        <p>{used === null ? said.stopsUnused : said.stops(format.relative(used), format.number(requests))}</p>
        <p role="alert" className="form-problem">
          {revoke.isError && text(revoke.error)}
        </p>
      </div>
    </ConfirmDialog>
  );
}
