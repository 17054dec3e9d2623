import { useRef } from 'react';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Menu, MenuChoice } from '../../components/menu.tsx';
import { Orgnr } from '../../components/orgnr.tsx';
import { PersonName } from '../../components/person-name.tsx';
import { Badge, Status, TONES } from '../../components/status.tsx';
import { useMembers } from '../../client/members.ts';
import { offerAgain } from '../../client/undo.ts';
import { useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useProblemText } from '../../words/problems.ts';
import { shared } from '../../words/shared.ts';
import { mailAddress } from '../contact/mail.ts';
import { telephoneAddress } from '../contact/telephone.ts';
import { useFieldChange, type Company, type FieldChange } from './use-company.ts';
import { words } from './words.ts';

const NOBODY = 'none';

/** The line below the name: number, form, status and assignee. */
export function Facts({ company }: { company: Company }) {
  const said = useWords(words);
  const names = useWords(shared);
  const { members, nameOf, isReady } = useMembers();
  const { orgnr, org_form, status, assigned_to, is_archived, is_deleted, email_address: email } = company;
  const number = [company.mobile_number, company.phone_number].find((one) => one && telephoneAddress(one));
  const telephone = number ? telephoneAddress(number) : undefined;
  const change = useUndoableChange(company);
  const assignee = assigned_to === null ? null : (nameOf(assigned_to) ?? (isReady ? said.formerMember : '…'));
  const statusName = names.companyStatus[status];
  return (
    <div className="facts">
      <Orgnr number={orgnr} />
      <span className="muted">{org_form}</span>
      {/* Otherwise the band above says it. */}
      {is_archived && is_deleted && <Badge>{said.archived}</Badge>}
      {is_deleted ? (
        <>
          <Status tone={TONES[status] ?? 'neutral'}>{statusName}</Status>
          <PersonName name={assignee} />
        </>
      ) : (
        <>
          <Menu
            trigger={
              <Choice
                label={names.status}
                shown={<Status tone={TONES[status] ?? 'neutral'}>{statusName}</Status>}
              />
            }
          >
            <MenuChoice
              title={names.status}
              options={Object.entries(names.companyStatus).map(([id, label]) => ({ id, label }))}
              chosen={status}
              onChoose={(value) =>
                change(
                  { field: 'status', seen: status, value },
                  said.statusChanged(names.companyStatus[value as Company['status']]),
                )
              }
            />
          </Menu>
          <Menu trigger={<Choice label={names.assignedTo} shown={<PersonName name={assignee} />} />}>
            <MenuChoice
              title={names.assignedTo}
              options={[
                { id: NOBODY, label: names.unassigned },
                ...members.map(({ id, name }) => ({ id, label: name })),
              ]}
              chosen={assigned_to ?? NOBODY}
              onChoose={(id) => {
                const value = id === NOBODY ? null : id;
                const text =
                  value === null ? said.assigneeRemoved : said.assigneeChanged(nameOf(value) ?? '');
                change({ field: 'assigned_to', seen: assigned_to, value }, text);
              }}
            />
          </Menu>
        </>
      )}
      {(telephone || email) && (
        <span className="facts-reach">
          {number && telephone && <Reach icon="phone" label={said.callNumber(number)} href={telephone} />}
          {email && <Reach icon="mail" label={said.writeTo(email)} href={mailAddress(email)} />}
        </span>
      )}
    </div>
  );
}

/** One tap to talk to the company. */
function Reach({ icon, label, href }: { icon: IconName; label: string; href: string }) {
  return (
    <a className="button" data-kind="quiet" data-square="" href={href} aria-label={label} title={label}>
      <Icon name={icon} />
    </a>
  );
}

function Choice({ label, shown }: { label: string; shown: React.ReactNode }) {
  return (
    <>
      <span className="visually-hidden">{`${label}: `}</span>
      {shown}
      <Icon name="down" />
    </>
  );
}

/** Changes a field and offers to take the change back. */
function useUndoableChange({ id, orgnr }: Company): (change: FieldChange, text: string) => void {
  const toast = useToast();
  const problemText = useProblemText();
  const { undone } = useWords(shared);
  const { mutateAsync } = useFieldChange(orgnr);
  /** For each field, the last save under way and the value that it leaves: the next change is based on that value. */
  const saving = useRef(new Map<string, Promise<string | null>>());
  // Not in callbacks of `mutate`, which are dropped at the next change, or when somebody leaves the page.
  const save = async ({ field, seen, value }: FieldChange, text: string, isUndo: boolean) => {
    const back = { field, seen: value, value: seen };
    try {
      await mutateAsync({ field, seen, value });
      const onUndo = () => run(back, undone, true);
      toast({ text, of: [`company ${id}`], isUndoSafe: true, ...(isUndo ? {} : { onUndo }) });
      return value;
    } catch (error) {
      const again =
        isUndo && offerAgain(error, `company ${id}`, () => run({ field, seen, value }, text, true));
      toast({ text: problemText(error), kind: 'failed', isUndoSafe: true, ...again });
      return seen;
    }
  };
  const run = (change: FieldChange, text: string, isUndo = false) => {
    const { field } = change;
    const before = saving.current.get(field) ?? Promise.resolve(change.seen);
    const saved = before.then((seen) => save({ ...change, seen }, text, isUndo));
    saving.current.set(field, saved);
    void saved.then(() => saving.current.get(field) === saved && saving.current.delete(field));
  };
  return run;
}
