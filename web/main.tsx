import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './client/queries.ts';
import { applyTheme, storedTheme } from './frame/theme.ts';
import { createAppRouter } from './router.tsx';
import './tokens.css';
import './base.css';

applyTheme(storedTheme());

const client = createQueryClient();
const router = createAppRouter(client);

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
