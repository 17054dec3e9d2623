import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { repairStyles } from './client/online.ts';
import { CallProblem, Unreachable } from './client/problem.ts';
import { createQueryClient } from './client/queries.ts';
import { applyTheme, storedTheme } from './frame/theme.ts';
import { createAppRouter } from './router.tsx';
import './tokens.css';
import './base.css';
import './print.css';

applyTheme(storedTheme());
repairStyles();

const client = createQueryClient();
const router = createAppRouter(client);

createRoot(document.querySelector('#root')!, {
  onCaughtError(error) {
    // The page itself shows what the service answered, or that it did not.
    if (!(error instanceof CallProblem || error instanceof Unreachable)) reportError(error);
  },
}).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
