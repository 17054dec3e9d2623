import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../client/call.ts';
import { isProblem } from '../../client/problem.ts';
import { queryOf } from '../../client/queries.ts';
import { Button } from '../../components/button.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { useFocusBack } from '../../components/focus-back.ts';
import { LinkButton } from '../../components/link-button.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { UnitCard } from '../companies/unit-card.tsx';
import { companyQuery } from './use-company.ts';
import { words } from './words.ts';

/** Where the workspace has no company of the number: what the register says of it, and adding it. */
export function Missing({ orgnr }: { orgnr: string }) {
  const said = useWords(words);
  const format = useFormat();
  const client = useQueryClient();
  const isNumber = /^\d{9}$/.test(orgnr);
  const { data, error, isPending, refetch } = useQuery({
    ...queryOf('GET /register/{orgNr}', { params: { orgNr: orgnr } }),
    placeholderData: undefined,
    enabled: isNumber,
    retry: false,
  });
  const adding = useMutation({
    mutationFn: () => call('POST /companies', { body: { orgnr } }),
    async onSuccess(added) {
      // Shows its page at once: a loading page in between would take the focus, which would be lost with it.
      client.setQueryData(companyQuery(orgnr).queryKey, { ...added, status: 200 });
      void client.invalidateQueries({ queryKey: ['register'] });
      await client.invalidateQueries({ queryKey: ['companies'] });
    },
  });
  const unit = data?.data.data;
  useFocusBack();
  return (
    <Page title={said.missing} width="text">
      <div className="stack">
        <p>{said.missingText(format.orgnr(orgnr))}</p>
        {isNumber && isPending && <Skeleton />}
        {error && !isProblem(error, 'not_in_register') && (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )}
        {unit && <UnitCard unit={unit} />}
        {adding.error && <ErrorState error={adding.error} />}
        <p className="company-actions">
          {unit && unit.dissolved_on === null && (
            <Button kind="primary" isPending={adding.isPending} onPress={() => adding.mutate()}>
              {said.addThis}
            </Button>
          )}
          <LinkButton to="/companies">{said.toCompanies}</LinkButton>
        </p>
      </div>
    </Page>
  );
}
