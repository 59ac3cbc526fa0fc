import type { ReactNode } from 'react';
import { AlertBox } from '../ui/problem.js';
import { refusalOfProvider } from './oauth-return.js';

/** Explains why an authorisation failed. `code` is the error code in the page URL. */
export function OauthRefusal({ code }: { code: string | undefined }): ReactNode {
  return code === undefined ? null : <AlertBox title="The source is not connected" {...refusalOfProvider(code)} />;
}
