import { useFormat } from '../words/format.ts';

/** Kroner, in figures that stand below each other. */
export function Amount({ value }: { value: number | null | undefined }) {
  const format = useFormat();
  return (
    <span className="numeric">{value === null || value === undefined ? '–' : format.amount(value)}</span>
  );
}
