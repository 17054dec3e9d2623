import { createContext, useContext } from 'react';

/** Of the form around a field or a button. `isLocked`: its fields can only be read. */
export const Submission = createContext<{
  isPending: boolean;
  isLocked: boolean;
  problem?: string | undefined;
}>({ isPending: false, isLocked: false });

/** Whether the form around a field is being sent, and what is typed or chosen then would be lost with it. */
export function useIsLocked(): boolean {
  return useContext(Submission).isLocked;
}
