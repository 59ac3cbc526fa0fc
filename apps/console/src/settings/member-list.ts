import type { aas } from '../data/api.js';

export type Member = Awaited<ReturnType<typeof aas.members.list>>['data'][number];
export type Invitation = Awaited<ReturnType<typeof aas.members.invite>>;

export const MEMBERS = ['members'] as const;
