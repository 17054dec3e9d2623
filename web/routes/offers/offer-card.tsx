import { Link } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { Icon } from '../../components/icon.tsx';
import { Menu, MenuItem, MenuSection } from '../../components/menu.tsx';
import { Avatar } from '../../components/person-name.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { isOverdue, sayDue } from '../tasks/due.ts';
import { STATUSES, type Card, type OfferStatus } from './board-data.ts';
import { OfferAmount } from './offer-amount.tsx';
import { offerWords } from './words.ts';
import './offer-card.css';

/** What one offer is at a glance: what it is worth, and what comes next. */
export function OfferCard({
  card,
  note,
  canDrag,
  onMove,
}: {
  card: Card;
  /** What somebody else did to it just now. */
  note: string | undefined;
  canDrag: boolean;
  onMove: (status: OfferStatus) => void;
}) {
  const words = useWords(offerWords);
  const names = useWords(shared);
  const format = useFormat();
  const { id, title, company, owner, weight, status_since } = card;
  const name = `${owner.first_name} ${owner.last_name}`;
  // Titles repeat: "Service agreement 2026" is offered to many.
  const named = `${title}, ${company.name}`;
  return (
    <div ref={keepFocusOnButton} className="offer-card" data-card={id}>
      <div className="offer-card-top">
        {canDrag && (
          <Button slot="drag" className="offer-card-drag" aria-label={words.drag(named)}>
            <Icon name="drag" />
          </Button>
        )}
        <Link to="/offers/$id" params={{ id }} className="offer-card-title">
          {title}
        </Link>
        <Menu label={words.moveOffer(named)} className="offer-card-menu">
          <MenuSection title={words.moveTo}>
            {STATUSES.filter((status) => status !== card.status).map((status) => (
              <MenuItem key={status} id={status} onAction={() => onMove(status)}>
                {names.offerStatus[status]}
              </MenuItem>
            ))}
          </MenuSection>
        </Menu>
      </div>
      <div className="offer-card-company truncate" title={company.name}>
        {company.name}
      </div>
      <div className="offer-card-worth">
        <span className="muted">
          <span className="visually-hidden">{`${words.weight}: `}</span>
          {format.percent(weight)}
        </span>
        <OfferAmount offer={card} />
      </div>
      <div className="offer-card-foot">
        <NextTask card={card} />
        <span className="offer-card-owner" title={name}>
          <Avatar name={name} />
          <span className="visually-hidden">{`${names.owner}: ${name}`}</span>
        </span>
      </div>
      <span className="visually-hidden">{words.stood(format.relative(status_since))}</span>
      {note && (
        <p className="offer-card-note">
          <Icon name="warning" /> {note}
        </p>
      )}
    </div>
  );
}

/** When a menu closes, React Aria would focus the row instead of the button, and Enter on a row opens the offer. */
function keepFocusOnButton(card: HTMLElement | null) {
  card?.addEventListener('react-aria-focus-scope-restore', (event) => event.stopPropagation());
}

function NextTask({ card: { next_task: task } }: { card: Card }) {
  const words = useWords(offerWords);
  const format = useFormat();
  if (!task) return <span className="muted truncate">{words.noTask}</span>;
  const due = format.due(task);
  const isLate = isOverdue(task, format);
  return (
    <span
      className="offer-card-task truncate"
      data-overdue={isLate || undefined}
      title={`${task.title}, ${format.full(due)}`}
    >
      <Icon name={isLate ? 'warning' : 'calendar'} />
      <span className="truncate">
        <span className="visually-hidden">{`${words.nextTask}: `}</span>
        {/* When it is due comes first: what follows may be cut off. */}
        {isLate ? `${words.overdue}: ${task.title}` : `${sayDue(task, format)} · ${task.title}`}
      </span>
    </span>
  );
}
