import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { Conflict } from '../../client/problem.ts';
import { EditText } from '../../components/edit-text.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { companyQuery, FieldConflict, useFieldChange, type Company } from './use-company.ts';
import { words } from './words.ts';
import './details.css';

/** How the company is reached, edited in place, and what the register says of it. */
export function Details({ company }: { company: Company }) {
  const said = useWords(words);
  const format = useFormat();
  const { employees, nace_primary, registered_at, org_form, source } = company;
  const facts = [
    [said.form, org_form],
    [said.industry, nace_primary === '00.000' ? said.withheld : nace_primary],
    [said.employees, employees === 0 ? said.withheld : format.number(employees)],
    [said.registered, format.date(registered_at)],
  ] as const;
  return (
    <div className="details">
      <section>
        <h2>{said.contactDetails}</h2>
        <DetailField
          company={company}
          field="email_address"
          label={said.email}
          type="email"
          maxLength={254}
        />
        <DetailField company={company} field="phone_number" label={said.phone} type="tel" maxLength={64} />
        <DetailField company={company} field="mobile_number" label={said.mobile} type="tel" maxLength={64} />
        <DetailField
          company={company}
          field="website_url"
          label={said.website}
          type="text"
          maxLength={2048}
        />
      </section>
      <section>
        <h2>{said.fromRegister}</h2>
        <dl className="details-facts">
          {facts.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
          <div>
            <dt>{said.source}</dt>
            <dd>{said.sources[source as keyof typeof said.sources] ?? source}</dd>
          </div>
        </dl>
      </section>
    </div>
  );
}

type TextField = 'email_address' | 'phone_number' | 'mobile_number' | 'website_url';

/** Saves only over what the person saw; what somebody else has written meanwhile is shown before it is overwritten. */
function DetailField({
  company,
  field,
  label,
  type,
  maxLength,
}: {
  company: Company;
  field: TextField;
  label: string;
  type: 'email' | 'tel' | 'text';
  maxLength: number;
}) {
  const said = useWords(words);
  const client = useQueryClient();
  const { mutateAsync } = useFieldChange(company.orgnr);
  const seen = useRef(company[field]);
  // Read from the cache: after a save, the page shows the new value a moment later.
  const begin = () => {
    const known = client.getQueryData(companyQuery(company.orgnr).queryKey);
    seen.current = (known?.data.data ?? company)[field];
  };
  const save = async (value: string | null) => {
    try {
      await mutateAsync({ field, seen: seen.current, value });
    } catch (error) {
      if (!(error instanceof FieldConflict)) throw error;
      seen.current = error.theirs;
      throw new Conflict(error.theirs ? said.conflict(error.theirs) : said.conflictEmpty);
    }
  };
  return (
    <EditText
      label={label}
      value={company[field]}
      onBegin={begin}
      onSave={save}
      type={type}
      maxLength={maxLength}
      isAddress={field === 'email_address' || field === 'website_url'}
      isDisabled={company.is_deleted}
    />
  );
}
