import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { useWords } from '../../words/dictionary.ts';
import { duplicatesQuery, type Whole } from './queries.ts';
import { contactWords } from './words.ts';

/** Others with the same email address: likely the same person. */
export function Duplicates({
  whole: { contact, points },
  onCompare,
}: {
  whole: Whole;
  /** Undefined for people who may not merge. */
  onCompare: ((other: string) => void) | undefined;
}) {
  const words = useWords(contactWords);
  const { data: others = [] } = useQuery(duplicatesQuery(contact.id, points));
  const [first] = others;
  if (!first) return null;
  return (
    <div className="contact-hint" role="status">
      <Icon name="people" />
      <p>
        {`${words.duplicates} `}
        {others.map(({ id, name }, at) => (
          <span key={id}>
            {at > 0 && ', '}
            <Link to="/contacts/$id" params={{ id }}>
              {name}
            </Link>
          </span>
        ))}
      </p>
      {onCompare &&
        (others.length === 1 ? (
          <Button size="small" onPress={() => onCompare(first.id)}>
            {words.compare}
          </Button>
        ) : (
          <Menu
            size="small"
            trigger={
              <>
                {words.compare}
                <Icon name="down" />
              </>
            }
          >
            {others.map(({ id, name }) => (
              <MenuItem key={id} onAction={() => onCompare(id)}>
                {name}
              </MenuItem>
            ))}
          </Menu>
        ))}
    </div>
  );
}
