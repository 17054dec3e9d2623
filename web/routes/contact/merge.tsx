import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../client/call.ts';
import { isProblem } from '../../client/problem.ts';
import { Button } from '../../components/button.tsx';
import { ComboBox } from '../../components/combo-box.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useIsLeft, useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useProblemText } from '../../words/problems.ts';
import { shared } from '../../words/shared.ts';
import { companiesById, searchContacts } from '../contacts/queries.ts';
import { MergePreview } from './merge-preview.tsx';
import { contactQuery, type Contact } from './queries.ts';
import { contactWords } from './words.ts';

type Pair = { kept: string; gone: string };

/** Finds the other contact, shows what becomes of the two, and merges them as they were shown. */
export function MergeDialog({
  contact,
  first,
  onClose,
}: {
  contact: Contact;
  /** The other one, where it is known. */
  first: string | undefined;
  onClose: () => void;
}) {
  const words = useWords(contactWords);
  const [pair, setPair] = useState<Pair | undefined>(first ? { kept: contact.id, gone: first } : undefined);
  return (
    <Dialog title={words.mergeTitle} onClose={onClose}>
      {first === undefined && (
        <ComboBox
          label={words.other}
          placeholder={words.otherHint}
          searchKey={['contacts', 'choose', contact.id]}
          search={async (text, signal) =>
            (await searchContacts(text, signal)).filter(({ id }) => id !== contact.id)
          }
          onChoose={(found) =>
            setPair((now) => {
              if (!found) return undefined;
              // If the same contact is chosen again, the two stay swapped.
              const isChosen = found.id === now?.kept || found.id === now?.gone;
              return isChosen ? now : { kept: contact.id, gone: found.id };
            })
          }
          autoFocus
        />
      )}
      {pair && (
        <Comparison
          pair={pair}
          onSwap={() => setPair({ kept: pair.gone, gone: pair.kept })}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

function previewQuery({ kept, gone }: Pair) {
  return queryOptions({
    queryKey: ['contacts', 'merge', kept, gone],
    async queryFn({ signal }) {
      const { data } = await call('GET /contacts/{id}/merge/{otherId}', {
        params: { id: kept, otherId: gone },
        signal,
      });
      const { contact, other } = data.data;
      const ids = [...contact.links, ...other.links].map(({ company_id }) => company_id);
      const companies = await companiesById(ids, signal);
      return { ...data.data, companies };
    },
    // Read again: what is merged must be what is shown.
    staleTime: 0,
    placeholderData: () => undefined,
  });
}

function Comparison({ pair, onSwap, onClose }: { pair: Pair; onSwap: () => void; onClose: () => void }) {
  const names = useWords(shared);
  const words = useWords(contactWords);
  const client = useQueryClient();
  const navigate = useNavigate();
  const isLeft = useIsLeft();
  const toast = useToast();
  const problemText = useProblemText();
  const preview = useQuery(previewQuery(pair));
  const own = { limit_reached: words.tooMuch, precondition_failed: words.seen };
  const merge = useMutation({
    mutationFn: ({ contact, other }: NonNullable<typeof preview.data>) =>
      call('POST /contacts/{id}/merge', {
        params: { id: contact.id },
        body: { other_id: other.id, etag: contact.etag, other_etag: other.etag },
      }),
    async onSuccess(_, { contact, other }) {
      toast({ text: words.merged(other.name, contact.name) });
      if (!isLeft.current) {
        onClose();
        await navigate({ to: '/contacts/$id', params: { id: contact.id }, replace: true });
        // A page that is still there reads where its contact went.
        client.removeQueries({ queryKey: contactQuery(other.id).queryKey });
      }
      void client.invalidateQueries({ queryKey: ['contacts'] });
      void client.invalidateQueries({ queryKey: ['search'] });
    },
    onError(error) {
      if (isProblem(error, 'precondition_failed')) void preview.refetch();
    },
  });
  if (isProblem(preview.error, 'limit_reached')) return <p role="alert">{words.tooMuch}</p>;
  if (preview.error) return <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />;
  if (!preview.data) return <Skeleton kind="text" rows={6} />;
  const { data } = preview;
  const { contact, other } = merge.variables ?? data;
  // False if the merge was tried for the pair that was compared before.
  const isOfPair = contact.id === pair.kept && other.id === pair.gone;
  return (
    <>
      <MergePreview preview={data} onSwap={onSwap} />
      <p className="merge-warning">{words.mergeWarning}</p>
      <p role="alert" className="form-problem">
        {isOfPair && merge.isError && problemText(merge.error, own)}
      </p>
      <div className="form-buttons">
        <Button onPress={onClose} autoFocus>
          {names.cancel}
        </Button>
        <Button kind="danger" isPending={merge.isPending} onPress={() => merge.mutate(data)}>
          {words.mergeAction(data.other.name)}
        </Button>
      </div>
    </>
  );
}
