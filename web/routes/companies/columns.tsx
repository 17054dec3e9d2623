import type { Column } from '../../components/data-table.tsx';
import { PersonName } from '../../components/person-name.tsx';
import { Badge, Status, TONES } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { useMembers } from '../../client/members.ts';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { Due } from '../company/due.tsx';
import type { ListSearch, Row } from './list-query.ts';
import { words } from './words.ts';

const OPTIONAL = [
  'status',
  'assignee',
  'next',
  'orgnr',
  'form',
  'employees',
  'industry',
  'phone',
  'email',
  'website',
  'registered',
  'changed',
] as const;
type ColumnName = (typeof OPTIONAL)[number];

const USUAL: readonly ColumnName[] = ['status', 'assignee', 'next', 'orgnr'];

/** The columns an address asks for, in their order; the usual ones where it asks for none. */
export function chosenColumns({ columns }: ListSearch): readonly ColumnName[] {
  if (columns === undefined) return USUAL;
  const names = columns.split(',');
  return OPTIONAL.filter((name) => names.includes(name));
}

/** The usual choice needs no words in the address. */
export function columnsParameter(names: readonly string[]): string | undefined {
  const chosen = OPTIONAL.filter((name) => names.includes(name));
  return chosen.join() === USUAL.join() ? undefined : chosen.join() || 'none';
}

export function useColumnLabels(): readonly { id: ColumnName; label: string }[] {
  const said = useWords(words);
  const { status, assignedTo, changed } = useWords(shared);
  const own = { status, assignee: assignedTo, changed };
  return OPTIONAL.map((id) => ({ id, label: id in own ? own[id as keyof typeof own] : said[id as Own] }));
}
type Own = Exclude<ColumnName, 'status' | 'assignee' | 'changed'>;

export function useColumns(search: ListSearch): readonly Column<Row>[] {
  const names = useWords(shared);
  const labels = new Map(useColumnLabels().map(({ id, label }) => [id, label]));
  const cells = useCells();
  const first: Column<Row> = {
    id: 'name',
    label: names.name,
    width: 'minmax(calc(var(--unit) * 34), 2.4fr)',
    sort: 'name',
    cell: (row) => <CompanyName row={row} />,
  };
  const chosen = chosenColumns(search).map((id) => ({ id, label: labels.get(id)!, ...cells[id] }));
  return [first, ...chosen];
}

function useCells(): Record<ColumnName, Omit<Column<Row>, 'id' | 'label'>> {
  const format = useFormat();
  const names = useWords(shared);
  const assignee = useAssignee();
  const text = (value: string | null) => <span className="truncate">{value || names.empty}</span>;
  return {
    status: {
      width: 'minmax(calc(var(--unit) * 33), 1fr)',
      cell: ({ status }) => <Status tone={TONES[status] ?? 'neutral'}>{names.companyStatus[status]}</Status>,
    },
    assignee: {
      width: 'minmax(calc(var(--unit) * 24), 1.2fr)',
      cell: (row) => <PersonName name={assignee(row)} />,
    },
    next: {
      width: 'minmax(calc(var(--unit) * 34), 2fr)',
      cell: ({ next_task: task }) =>
        task ? <NextTask task={task} /> : <span className="muted">{names.empty}</span>,
    },
    orgnr: { width: 'calc(var(--unit) * 22)', align: 'end', cell: ({ orgnr }) => format.orgnr(orgnr) },
    form: { width: 'minmax(0, calc(var(--unit) * 14))', cell: ({ org_form }) => text(org_form) },
    employees: {
      width: 'minmax(0, calc(var(--unit) * 18))',
      align: 'end',
      cell: ({ employees }) => (employees > 0 ? format.number(employees) : names.empty),
    },
    industry: {
      width: 'minmax(0, calc(var(--unit) * 24))',
      cell: ({ nace_primary }) => text(nace_primary === '00.000' ? null : nace_primary),
    },
    phone: {
      width: 'minmax(0, calc(var(--unit) * 28))',
      cell: (row) => text(row.phone_number || row.mobile_number),
    },
    email: {
      width: 'minmax(calc(var(--unit) * 30), 1.4fr)',
      cell: ({ email_address }) => text(email_address),
    },
    website: { width: 'minmax(calc(var(--unit) * 28), 1.2fr)', cell: ({ website_url }) => text(website_url) },
    registered: {
      width: 'minmax(0, calc(var(--unit) * 24))',
      cell: ({ registered_at }) => format.shortDate(registered_at),
    },
    changed: {
      width: 'minmax(0, calc(var(--unit) * 24))',
      sort: 'updated_at',
      cell: ({ updated_at }) => <Time at={updated_at} kind="date" inRow />,
    },
  };
}

/** The name of whom a company is assigned to; null for nobody. */
export function useAssignee(): (row: Row) => string | null {
  const said = useWords(words);
  const { nameOf, isReady } = useMembers();
  return ({ assigned_to: id }) => (id === null ? null : (nameOf(id) ?? (isReady ? said.formerMember : '…')));
}

export function CompanyName({ row }: { row: Row }) {
  const said = useWords(words);
  return (
    <span className="company-name">
      <span className="truncate" title={row.name}>
        {row.name}
      </span>
      {row.is_archived && <Badge>{said.isArchived}</Badge>}
    </span>
  );
}

function NextTask({ task }: { task: NonNullable<Row['next_task']> }) {
  return (
    <span className="next-task">
      <Due task={task} />
      <span className="truncate muted" title={task.title}>
        {task.title}
      </span>
    </span>
  );
}
