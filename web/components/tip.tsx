import type { ReactElement } from 'react';
import { Tooltip, TooltipTrigger } from 'react-aria-components';
import './tip.css';

/** A line that shows on hover and focus. `children` is one element that can take the focus. */
export function Tip({
  text,
  children,
  ...trigger
}: {
  text: string;
  children: ReactElement;
  /** Both are given where something else opens the tip, too. */
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
}) {
  return (
    <TooltipTrigger delay={500} closeDelay={0} {...trigger}>
      {children}
      <Tooltip className="tip" offset={6}>
        {text}
      </Tooltip>
    </TooltipTrigger>
  );
}
