import './style/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { readStopUrl } from './data/api.js';
import { queryClient } from './data/query-client.js';
import { router } from './app/router.js';
import { applyTheme } from './app/theme.js';

applyTheme();
// Without it, the console can still stop the workspace by the first port.
readStopUrl().catch(() => undefined);
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
