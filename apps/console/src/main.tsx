import './style/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { aas, readStopUrl } from './data/api.js';
import { onReconnected } from './data/connection.js';
import { queryClient } from './data/query-client.js';
import { router } from './app/router.js';
import { loadPagesAhead } from './app/page-chunks.js';
import { applyTheme } from './app/theme.js';

applyTheme();
// Without it, the console can still stop the workspace by the first port.
readStopUrl().catch(() => undefined);
loadPagesAhead();
// The browser knows that its network has changed before a request fails or succeeds.
for (const type of ['online', 'offline'])
  addEventListener(type, () => void aas.service.health().catch(() => undefined));
onReconnected(() => {
  void queryClient.invalidateQueries();
  void router.invalidate();
});
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
