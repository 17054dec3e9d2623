import { Outlet, useRouter } from '@tanstack/react-router';
import { RouterProvider } from 'react-aria-components';
import { LanguageProvider } from '../words/language-provider.tsx';

/** What every page has around it, signed in or not. */
export function Root() {
  const router = useRouter();
  return (
    <LanguageProvider>
      <RouterProvider navigate={(path) => void router.navigate({ to: path })}>
        <Outlet />
      </RouterProvider>
    </LanguageProvider>
  );
}
