import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.ts';
import { isProblem } from '../../client/problem.ts';
import { queryOf } from '../../client/queries.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { Select } from '../../components/select.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { nameOf as nameOfKey } from '../settings-keys/access.ts';
import { nameOf, type Member } from './member.ts';
import { words } from './words.ts';
import './members.css';

/** The service counts no further than this. */
const CAP = 10_000;

export function RemoveMember({
  target,
  others,
  onRemoved,
  onClose,
}: {
  target: Member;
  others: readonly Member[];
  onRemoved: () => void;
  onClose: () => void;
}) {
  const said = useWords(words);
  const format = useFormat();
  const toast = useToast();
  const [heir, setHeir] = useState<string | null>(null);
  const [isMissing, setIsMissing] = useState(false);
  const { data, error, refetch } = useQuery({
    ...queryOf('GET /members/{id}/leaving', { params: { id: target.id } }),
    staleTime: 0,
  });
  const name = nameOf(target);
  const left = data?.data.data;
  const count = (value: number) => format.count(Math.min(value, CAP), value > CAP);
  const work = left
    ? ([
        [left.open_tasks, said.openTasks],
        [left.open_offers, said.openOffers],
        [left.companies, said.companies],
      ] as const)
    : [];
  const open = work.filter(([value]) => value > 0);
  return (
    <Dialog title={said.removeTitle(name)} onClose={onClose}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!left && !error && <Skeleton kind="text" rows={3} />}
      {left && (
        <Form
          ownWords={{ last_owner: said.lastOwner, hand_over_first: said.chooseHeir }}
          onSubmit={async () => {
            setIsMissing(open.length > 0 && heir === null);
            if (open.length > 0 && heir === null) return;
            try {
              await call('POST /members/{id}/remove', {
                params: { id: target.id },
                body: { hand_over_to: heir },
              });
            } catch (error) {
              // The member has been given work since the counts were read.
              if (isProblem(error, 'hand_over_first')) await refetch();
              throw error;
            }
            toast({ text: said.removed(name) });
            onRemoved();
          }}
        >
          <p>{said.removeText(name)}</p>
          {left.keys.length > 0 && (
            <div>
              <p>{said.keysStop}</p>
              <ul className="leaving">
                {left.keys.map(({ last_used_at: used, requests_24h: requests, ...key }) => (
                  <li key={key.id}>
                    {used === null
                      ? said.keyUnused(nameOfKey(key))
                      : said.keyUse(nameOfKey(key), format.relative(used), format.number(requests))}
                  </li>
                ))}
              </ul>
            </div>
          )}
          {open.length > 0 && (
            <>
              <div>
                <p>{said.leaves}</p>
                <ul className="leaving">
                  {open.map(([value, text]) => (
                    <li key={text('')}>{text(count(value))}</li>
                  ))}
                </ul>
              </div>
              <Select
                label={said.heir}
                placeholder={said.choose}
                options={others.map((member) => ({ id: member.id, label: nameOf(member) }))}
                value={heir}
                onChange={(id) => {
                  setHeir(id);
                  setIsMissing(false);
                }}
                error={isMissing ? said.chooseHeir : undefined}
              />
            </>
          )}
          <FormButtons onCancel={onClose} kind="danger">
            {said.removeAction(name)}
          </FormButtons>
        </Form>
      )}
    </Dialog>
  );
}
