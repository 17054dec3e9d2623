import { Status, TONES } from '../../components/status.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { Due } from '../company/due.tsx';
import { CompanyName, useAssignee } from './columns.tsx';
import type { Row } from './list-query.ts';

/** A company in two lines. */
export function PhoneRow({ row }: { row: Row }) {
  const { companyStatus } = useWords(shared);
  const assignee = useAssignee()(row);
  return (
    <>
      <span>
        <CompanyName row={row} />
      </span>
      <span className="phone-row-more muted">
        <Status tone={TONES[row.status] ?? 'neutral'}>{companyStatus[row.status]}</Status>
        {assignee !== null && <span className="truncate">{assignee}</span>}
        {row.next_task && <Due task={row.next_task} />}
      </span>
    </>
  );
}
