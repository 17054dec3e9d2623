import type { Unit } from '../../client/register.ts';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { words } from './words.ts';
import './unit-card.css';

/** What the register says of a unit, before it is added. */
export function UnitCard({ unit }: { unit: Unit }) {
  const said = useWords(words);
  const format = useFormat();
  const { name, orgnr, org_form, registered_at, employees, nace_primary, dissolved_on, is_branch } = unit;
  const facts = [
    format.orgnr(orgnr),
    is_branch ? said.branch : org_form,
    registered_at && said.registeredAt(format.date(registered_at)),
    employees > 0 && said.employeeCount(format.number(employees)),
    nace_primary !== '00.000' && said.industryCode(nace_primary),
  ].filter(Boolean);
  return (
    <div className="unit-card">
      <p className="unit-name">{name}</p>
      <p className="unit-facts">
        {facts.map((fact) => (
          <span key={String(fact)}>{fact}</span>
        ))}
      </p>
      {dissolved_on && <p className="unit-dissolved">{said.dissolved(format.date(dissolved_on))}</p>}
    </div>
  );
}
