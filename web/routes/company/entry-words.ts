import type { CallResult } from '../../client/call.ts';
import { useMembers } from '../../client/members.ts';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { words } from './words.ts';

export type Entry = CallResult<'GET /companies/{orgNr}/timeline'>['data']['data'][number];

/** Says who did something, and what. */
export function useEntryWords(): (entry: Entry) => { who: string; what: string } {
  const said = useWords(words);
  const { companyStatus, unassigned } = useWords(shared);
  const { nameOf, isReady } = useMembers();
  const format = useFormat();
  const person = (id: string | null, former: string = said.byFormerMember) =>
    nameOf(id) ?? (isReady ? former : '…');
  const status = (id: string | null | undefined) =>
    companyStatus[id as keyof typeof companyStatus] ?? String(id);
  const fieldName = (field: string) =>
    said.fieldNames[field as keyof typeof said.fieldNames] ?? said.somethingElse;

  const whatOf = ({ type, content: { from = null, to = null, fields = [] }, user_id }: Entry): string => {
    switch (type) {
      case 'change_status':
        return said.changedStatus(status(from), status(to));
      case 'change_assignment':
        if (to === null) return said.unassigned(from === null ? unassigned : person(from));
        return to === user_id ? said.tookOver : said.assigned(person(to));
      case 'register_change':
        return said.registerChanged(format.list([...new Set(fields.map(fieldName))]));
      default:
        return said.did[type];
    }
  };
  const whoOf = ({ type, user_id }: Entry): string => {
    if (user_id !== null) return person(user_id, said.formerMember);
    return type === 'register_change' ? said.register : said.operator;
  };
  return (entry) => ({ who: whoOf(entry), what: whatOf(entry) });
}
