import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { duplicatesQuery, type Whole } from './queries.ts';
import { contactWords } from './words.ts';

/** Others with the same e-mail address: likely the same person. */
export function Duplicates({
  whole: { contact, points },
  onCompare,
}: {
  whole: Whole;
  /** Missing for those who may not merge. */
  onCompare: ((other: string) => void) | undefined;
}) {
  const words = useWords(contactWords);
  const format = useFormat();
  const { data: others = [] } = useQuery(duplicatesQuery(contact.id, points));
  const [first] = others;
  if (!first) return null;
  return (
    <div className="contact-hint" role="status">
      <Icon name="people" />
      <p>{words.duplicates(format.list(others.map(({ name }) => name)))}</p>
      {onCompare ? (
        <Button size="small" onPress={() => onCompare(first.id)}>
          {words.compare}
        </Button>
      ) : (
        <Link to="/contacts/$id" params={{ id: first.id }}>
          {words.compare}
        </Link>
      )}
    </div>
  );
}
