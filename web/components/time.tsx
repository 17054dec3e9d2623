import { useState } from 'react';
import { Focusable } from 'react-aria-components';
import { useFormat } from '../words/format.ts';
import { useIsStop } from './entry-list.tsx';
import { Tip } from './tip.tsx';

/**
 * A time as "for 3 dager siden", the date, or the date and time. The full time shows on hover, on a tap and on focus;
 * in an EntryList, arrows move the focus between times. With `inRow` only hover shows it, since the row itself takes
 * taps and the focus.
 */
export function Time({
  at,
  kind = 'relative',
  inRow = false,
}: {
  at: string;
  kind?: 'relative' | 'date' | 'exact';
  inRow?: boolean;
}) {
  const format = useFormat();
  const isStop = useIsStop();
  const [isOpen, setIsOpen] = useState(false);
  const date = inRow ? format.shortDate(at) : format.date(at);
  const text =
    kind === 'relative' ? format.relative(at) : kind === 'date' ? date : `${date} ${format.time(at)}`;
  if (inRow) {
    return (
      <time dateTime={at} title={format.full(at)}>
        {text}
      </time>
    );
  }
  return (
    <Tip text={format.full(at)} isOpen={isOpen} onOpenChange={setIsOpen}>
      <Focusable>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- takes the focus for its tip */}
        <span role="note" aria-label={text} tabIndex={isStop ? 0 : -1} onFocus={() => setIsOpen(true)}>
          <time dateTime={at}>{text}</time>
        </span>
      </Focusable>
    </Tip>
  );
}
