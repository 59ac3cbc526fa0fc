import { join } from 'node:path';
import type { LibSchema } from '@app/platform/database';
import { SignIn1795484384470 } from './1795484384470-sign-in.js';
import { MembersByEmail1795484384471 } from './1795484384471-members-by-email.js';
import { KeyParents1795908600000 } from './1795908600000-key-parents.js';
import { KeysByParent1795908600001 } from './1795908600001-keys-by-parent.js';
import { KeyLimits1795955200000 } from './1795955200000-key-limits.js';
import { McpOauth1795969000000 } from './1795969000000-mcp-oauth.js';
import { SavedViews1796090000000 } from './1796090000000-saved-views.js';
import { MemberSignIns1796610000000 } from './1796610000000-member-sign-ins.js';

export const workspaceSchema: LibSchema = {
  baseline: {
    name: 'WorkspaceBaseline1768000000000',
    path: join(import.meta.dirname, '1768000000000-workspace-baseline.sql'),
  },
  migrations: [
    SignIn1795484384470,
    MembersByEmail1795484384471,
    KeyParents1795908600000,
    KeysByParent1795908600001,
    KeyLimits1795955200000,
    McpOauth1795969000000,
    SavedViews1796090000000,
    MemberSignIns1796610000000,
  ],
  functions: { name: 'workspace', path: join(import.meta.dirname, '../sql') },
};
