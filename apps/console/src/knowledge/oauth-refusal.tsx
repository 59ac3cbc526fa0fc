import type { ReactNode } from 'react';
import { AlertBox } from '../ui/problem.js';
import { refusalOfProvider } from './oauth-return.js';

/** Why the browser came back from a provider without a permission. */
export function OauthRefusal({ code }: { code: string | undefined }): ReactNode {
  return code === undefined ? null : <AlertBox title="The source is not connected" {...refusalOfProvider(code)} />;
}
