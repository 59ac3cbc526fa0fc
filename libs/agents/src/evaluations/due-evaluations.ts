import type { DueWork } from '@app/platform/database';

export const DUE_ROWS = `evaluations d join workspaces w on w.id = d.workspace_id
       where not d.settled and d.looked_at < statement_timestamp() - interval '1 second'
         and (w.state = 'active' or d.ended_at is not null)`;

export const DUE_EVALUATIONS: DueWork = { name: 'evaluations', isDue: `exists (select from ${DUE_ROWS})` };
