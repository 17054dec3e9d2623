import { Fragment } from 'react';

/** An email or web address that wraps after its @ and its dots rather than within a word; its last part is short. */
export function BreakableAddress({ address }: { address: string }) {
  return address.split(/(?<=@|\.(?=.*[@.]))/).map((part, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- parts of one text
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
