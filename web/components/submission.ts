import { createContext, useContext } from 'react';

/** The state of the form around a field or a button. `isLocked`: its fields can only be read. */
export const Submission = createContext<{
  isPending: boolean;
  isLocked: boolean;
  problem?: string | undefined;
}>({ isPending: false, isLocked: false });

/** Whether the form around a field is being sent, so that what is typed or chosen meanwhile would be lost. */
export function useIsLocked(): boolean {
  return useContext(Submission).isLocked;
}
