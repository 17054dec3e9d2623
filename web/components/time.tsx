import { Focusable } from 'react-aria-components';
import { useFormat } from '../words/format.ts';
import { useIsStop } from './entry-list.tsx';
import { Tip } from './tip.tsx';

/**
 * When: "for 3 dager siden", or the date. The full time shows on hover and, where it stands in text, on focus, which
 * goes from one to the next in an EntryList; in rows, which take the focus themselves, `inRow` leaves it out.
 */
export function Time({
  at,
  kind = 'relative',
  inRow = false,
}: {
  at: string;
  kind?: 'relative' | 'date';
  inRow?: boolean;
}) {
  const format = useFormat();
  const isStop = useIsStop();
  const text = kind === 'relative' ? format.relative(at) : inRow ? format.shortDate(at) : format.date(at);
  if (inRow) {
    return (
      <time dateTime={at} title={format.full(at)}>
        {text}
      </time>
    );
  }
  return (
    <Tip text={format.full(at)}>
      <Focusable>
        <span role="note" aria-label={text} tabIndex={isStop ? 0 : -1}>
          <time dateTime={at}>{text}</time>
        </span>
      </Focusable>
    </Tip>
  );
}
