import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.ts';
import { useDraft } from '../../client/drafts.ts';
import { ComboBox, type Found } from '../../components/combo-box.tsx';
import { COMPANY_SEARCH, namedCompany } from '../../components/company-search.ts';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useIsLeft } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { addLink } from '../contacts/add-rows.ts';
import { useOverSeen } from './over-seen.ts';
import { contactQuery, withRow, type Link } from './queries.ts';
import { contactWords } from './words.ts';

/** A form for a link to a company: the role of an existing link, or a new link. */
export function CompanyForm({
  contact,
  link,
  isGone = false,
  onDone,
}: {
  contact: string;
  link?: Link;
  /** Whether somebody else has removed the link: it can be added again. */
  isGone?: boolean;
  onDone: () => void;
}) {
  const names = useWords(shared);
  const words = useWords(contactWords);
  const client = useQueryClient();
  const [initial] = useState({ company: null as Found | null, role: link?.role ?? '' });
  const draft = useDraft(link ? undefined : `company ${contact}`, initial);
  const { values, field, set, drop } = draft;
  const company = link?.company_id ?? values.company?.id;
  const isLeft = useIsLeft();
  const { writeOver } = useOverSeen(
    contact,
    ({ links }) => textOf(links.find(({ id }) => id === link?.id)),
    textOf(link),
  );
  const [isMissing, setIsMissing] = useState(false);

  const show = (stored: Omit<Link, 'company'>) =>
    client.setQueryData(contactQuery(contact).queryKey, (old) => {
      const named = link?.company ?? (values.company ? namedCompany(values.company) : undefined);
      return old && { ...old, links: withRow(old.links, { ...stored, company: named }) };
    });
  const submit = async ({ role: typed = '' }: Readonly<Record<string, string>>) => {
    setIsMissing(company === undefined);
    if (company === undefined) return;
    const role = typed.trim() === '' ? null : typed.trim();
    if (link && !isGone) {
      const params = { id: contact, linkId: String(link.id) };
      const answer = await writeOver({
        write: (ifMatch) =>
          call('PATCH /contacts/{id}/companies/{linkId}', { params, body: { role }, ifMatch }),
        wanted: role ?? '',
      });
      if (answer) show(answer.data.data);
    } else {
      const body = { company_id: company, role };
      show({ id: await addLink(contact, body, draft), ...body });
    }
    void client.invalidateQueries({ queryKey: ['contacts'] });
    drop();
    if (!isLeft.current) onDone();
  };

  const cancel = () => {
    drop();
    onDone();
  };

  return (
    <div className="contact-form">
      <Form onSubmit={submit} onCancel={cancel}>
        {isGone && (
          <p role="status" className="form-problem">
            {words.removedMeanwhile}
          </p>
        )}
        <div className="form-row">
          {link ? (
            <p className="contact-form-name">{link.company?.name ?? names.company}</p>
          ) : (
            <ComboBox
              label={words.company}
              placeholder={words.companyHint}
              {...COMPANY_SEARCH}
              initial={values.company}
              follows
              onChoose={(found) => set({ company: found })}
              error={isMissing && company === undefined ? words.chooseCompany : undefined}
              autoFocus
            />
          )}
          <TextField
            name="role"
            label={words.role}
            maxLength={255}
            autoComplete="off"
            autoFocus={link !== undefined}
            {...field('role')}
          />
        </div>
        <FormButtons onCancel={cancel} size="small">
          {link && !isGone ? names.save : names.add}
        </FormButtons>
      </Form>
    </div>
  );
}

function textOf(link: Link | undefined): string | undefined {
  return link && (link.role ?? '');
}
