import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../client/call.ts';
import { useMutationWithUndo } from '../../client/undo.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Badge } from '../../components/status.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { CompanyForm } from './company-form.tsx';
import { contactQuery, type Link as CompanyLink } from './queries.ts';
import { useRowForms } from './row-forms.ts';
import { contactWords } from './words.ts';

/** Where a person works, and as what. */
export function Companies({ contact, links }: { contact: string; links: readonly CompanyLink[] }) {
  const names = useWords(shared);
  const words = useWords(contactWords);
  const { list, rows, isGone, isOpen, open, close, focusNew } = useRowForms(links);
  const remove = useRemoveLink(contact, true);
  const removeForGood = useRemoveLink(contact, false);
  const [asked, setAsked] = useState<CompanyLink>();
  return (
    <section className="contact-section" aria-labelledby="contact-companies">
      <h2 id="contact-companies">{names.companies}</h2>
      {rows.length === 0 && !isOpen('new') && <p className="muted">{words.noCompanies}</p>}
      <ul ref={list}>
        {rows.map((link) => (
          <li key={link.id} data-row={link.id}>
            {isOpen(link.id) ? (
              <CompanyForm
                contact={contact}
                link={link}
                isGone={isGone(link)}
                onDone={() => close(link.id)}
              />
            ) : (
              <LinkRow
                link={link}
                onEdit={() => open(link.id, link)}
                onRemove={() => {
                  if (link.company?.is_deleted) return setAsked(link);
                  remove.mutate(link);
                  return focusNew();
                }}
              />
            )}
          </li>
        ))}
        <li data-row="new">
          {isOpen('new') ? (
            <CompanyForm contact={contact} onDone={() => close('new')} />
          ) : (
            <Button kind="quiet" size="small" icon="plus" onPress={() => open('new')}>
              {words.addCompany}
            </Button>
          )}
        </li>
      </ul>
      {asked && (
        <ConfirmDialog
          title={words.unlinkTitle(asked.company?.name ?? '')}
          action={words.remove(asked.company?.name ?? '')}
          isPending={removeForGood.isPending}
          onConfirm={() => removeForGood.mutate(asked, { onSettled: () => setAsked(undefined) })}
          onClose={() => setAsked(undefined)}
        >
          {words.unlinkWarning}
        </ConfirmDialog>
      )}
    </section>
  );
}

function LinkRow({
  link: { company, role },
  onEdit,
  onRemove,
}: {
  link: CompanyLink;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const words = useWords(contactWords);
  const names = useWords(shared);
  const name = company?.name ?? names.company;
  return (
    <div className="contact-row">
      <Icon name="companies" />
      <span className="contact-row-text">
        {company ? (
          <Link to="/companies/$orgnr" params={{ orgnr: company.orgnr }}>
            {name}
          </Link>
        ) : (
          <span>{name}</span>
        )}
        {role && <span className="muted">{role}</span>}
        {company?.is_deleted && <Badge tone="warning">{words.deletedCompany}</Badge>}
      </span>
      <IconButton icon="edit" label={words.edit(name)} onPress={onEdit} />
      <IconButton icon="trash" label={words.remove(name)} onPress={onRemove} />
    </div>
  );
}

/** Undo links the company again, as the last one and with a new id; a deleted company cannot be linked. */
function useRemoveLink(contact: string, canUndo: boolean) {
  const words = useWords(contactWords);
  const client = useQueryClient();
  const params = { id: contact };
  return useMutationWithUndo<CompanyLink, unknown>({
    run: ({ id }) =>
      call('DELETE /contacts/{id}/companies/{linkId}', { params: { ...params, linkId: String(id) } }),
    ...(canUndo && {
      undo: ({ company_id, role }, _result, idempotencyKey) =>
        call('POST /contacts/{id}/companies', { params, body: { company_id, role }, idempotencyKey }),
    }),
    of: ({ id }) => `link ${id}`,
    text: ({ company }) => words.linkRemoved(company?.name ?? ''),
    show: ({ id }) =>
      client.setQueryData(contactQuery(contact).queryKey, (old) =>
        old ? { ...old, links: old.links.filter((link) => link.id !== id) } : old,
      ),
    keys: [['contacts']],
  });
}
