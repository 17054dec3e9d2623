import type { CallResult } from '../../client/call.ts';
import { Button } from '../../components/button.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import type { Company, Point } from './queries.ts';
import { contactWords } from './words.ts';

type Preview = CallResult<'GET /contacts/{id}/merge/{otherId}'>['data']['data'] & {
  companies: Map<string, Company>;
};
type Line = { key: string; text: string; isDropped?: boolean | undefined; isMoved?: boolean | undefined };

/** Both contacts side by side: what moves, what is not doubled, and what labels, roles and notes become. */
export function MergePreview({ preview, onSwap }: { preview: Preview; onSwap: () => void }) {
  const names = useWords(shared);
  const words = useWords(contactWords);
  const { contact, other, moved, dropped, labels, roles, notes, companies } = preview;
  const nameOf = (id: string) => companies.get(id)?.name ?? names.company;
  const linkText = (link: { company_id: string; role: string | null }) =>
    link.role ? `${nameOf(link.company_id)} · ${link.role}` : nameOf(link.company_id);
  const pointText = ({ id, value, label: own }: Point) => {
    const label = labels.find((taken) => taken.id === id)?.label ?? own;
    return label.trim() === '' ? value : `${value} · ${label}`;
  };
  const gone = new Set([...dropped.points, ...dropped.links]);
  const kept: Line[] = [
    ...contact.points.map((point) => ({ key: `p${point.id}`, text: pointText(point) })),
    ...contact.links.map((link) => {
      const role = roles.find(({ id }) => id === link.id)?.role ?? link.role;
      return { key: `l${link.id}`, text: linkText({ ...link, role }) };
    }),
  ];
  const added: Line[] = [
    ...[...moved.points, ...dropped.points].map((point) => ({
      key: `p${point.id}`,
      text: pointText(point),
      isDropped: gone.has(point),
      isMoved: !gone.has(point),
    })),
    ...[...moved.links, ...dropped.links].map((link) => ({
      key: `l${link.id}`,
      text: linkText(link),
      isDropped: gone.has(link),
      isMoved: !gone.has(link),
    })),
  ];
  return (
    <div className="merge">
      <div className="merge-sides">
        <Side title={words.stays} name={contact.name} lines={kept} />
        <Side title={words.goesIn} name={other.name} lines={added} />
      </div>
      <Button size="small" onPress={onSwap}>
        {words.swap}
      </Button>
      {notes !== '' && (
        <div>
          <h3 id="merge-notes">{words.notesOf}</h3>
          {/* Takes the focus so that the keyboard scrolls it. */}
          <p className="merge-notes" role="region" aria-labelledby="merge-notes" tabIndex={0}>
            {notes}
          </p>
        </div>
      )}
    </div>
  );
}

function Side({ title, name, lines }: { title: string; name: string; lines: readonly Line[] }) {
  const words = useWords(contactWords);
  return (
    <section className="merge-side" aria-label={`${title}: ${name}`}>
      <p className="muted">{title}</p>
      <h3>{name}</h3>
      {lines.length === 0 ? (
        <p className="muted">{words.nothing}</p>
      ) : (
        <ul>
          {lines.map(({ key, text, isDropped, isMoved }) => (
            <li key={key} data-dropped={isDropped || undefined}>
              {text}
              {(isDropped || isMoved) && (
                <span className="muted">{` – ${isMoved ? words.isNew : words.isThere}`}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
