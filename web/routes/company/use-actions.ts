import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { call } from '../../client/call.ts';
import { useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useProblemText } from '../../words/problems.ts';
import { companyQuery, type Company } from './use-company.ts';
import { words } from './words.ts';

/** Archiving, deleting, and the way back from each. */
export function useCompanyActions(company: Company) {
  const said = useWords(words);
  const { orgnr, name } = company;
  const params = { params: { orgNr: orgnr } };
  const unarchive = useAction(company, said.wasUnarchived, () =>
    call('POST /companies/{orgNr}/unarchive', params),
  );
  const archive = useAction(
    company,
    said.wasArchived,
    () => call('POST /companies/{orgNr}/archive', params),
    () => unarchive.mutate(),
  );
  const restore = useAction(company, said.wasRestored(name), () =>
    call('POST /companies/{orgNr}/restore', params),
  );
  const remove = useAction(
    company,
    said.wasDeleted(name),
    () => call('DELETE /companies/{orgNr}', params),
    () => restore.mutate(),
  );
  return { archive, unarchive, restore, remove };
}

function useAction({ id, orgnr }: Company, text: string, run: () => Promise<unknown>, onUndo?: () => void) {
  const client = useQueryClient();
  const toast = useToast();
  const problemText = useProblemText();
  return useMutation({
    mutationFn: run,
    async onSuccess() {
      await fetchAgain(client, orgnr);
      toast({ text, of: [`company ${id}`], ...(onUndo && { onUndo }) });
    },
    onError: (error) => toast({ text: problemText(error), kind: 'failed' }),
  });
}

async function fetchAgain(client: QueryClient, orgnr: string): Promise<void> {
  await client.invalidateQueries({ queryKey: companyQuery(orgnr).queryKey });
  void client.invalidateQueries({ queryKey: ['companies'] });
  void client.invalidateQueries({ queryKey: ['register'] });
}
