import { useQuery } from '@tanstack/react-query';
import { useMembers } from '../../client/members.ts';
import { queryOf } from '../../client/queries.ts';
import { useRole } from '../../client/session.ts';
import { Band } from '../../components/band.tsx';
import { Button } from '../../components/button.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { useCompanyActions } from './use-actions.ts';
import type { Company } from './use-company.ts';
import { words } from './words.ts';

/** What the state of the company means, for people and for integrations. */
export function CompanyBands({ company }: { company: Company }) {
  if (company.is_deleted) return <DeletedBand company={company} />;
  return company.is_archived ? <ArchivedBand company={company} /> : null;
}

function ArchivedBand({ company }: { company: Company }) {
  const said = useWords(words);
  const { unarchive } = useCompanyActions(company);
  return (
    <Band
      actions={
        <Button size="small" onPress={() => unarchive.mutate()}>
          {said.unarchive}
        </Button>
      }
    >
      {said.archivedBand}
    </Band>
  );
}

function DeletedBand({ company }: { company: Company }) {
  const said = useWords(words);
  const names = useWords(shared);
  const format = useFormat();
  const { nameOf, isReady } = useMembers();
  const isAdmin = useRole('admin');
  const { restore } = useCompanyActions(company);
  const { data } = useQuery({
    ...queryOf('GET /companies/{orgNr}/deletion', { params: { orgNr: company.orgnr } }),
    // Not under `companies`, which are fetched again once the company is restored: it has no deletion then.
    queryKey: ['deletion', company.orgnr],
    gcTime: 0,
    placeholderData: undefined,
  });
  const deletion = data?.data.data;
  const by = deletion?.user_id
    ? (nameOf(deletion.user_id) ?? (isReady ? said.byFormerMember : undefined))
    : undefined;
  return (
    <Band
      kind="danger"
      actions={
        isAdmin && (
          <Button size="small" isPending={restore.isPending} onPress={() => restore.mutate()}>
            {names.restore}
          </Button>
        )
      }
    >
      {deletion && (
        <strong>
          {said.deletedBand(
            `${format.date(deletion.deleted_at)} ${format.time(deletion.deleted_at)}`,
            by,
          )}{' '}
        </strong>
      )}
      {said.deletedMeans} {!isAdmin && said.deletedAsk}
    </Band>
  );
}
