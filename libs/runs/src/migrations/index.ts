import { join } from 'node:path';
import type { LibSchema } from '@app/platform/database';
import { RunStatistics1795484300000 } from './1795484300000-run-statistics.js';
import { ApprovalLists1795487000000 } from './1795487000000-approval-lists.js';
import { RunChanges1795488000000 } from './1795488000000-run-changes.js';
import { ChangedRuns1795488000001 } from './1795488000001-changed-runs.js';
import { RunFilters1795488100000 } from './1795488100000-run-filters.js';
import { ListedRuns1795489000000 } from './1795489000000-listed-runs.js';
import { BulkActions1795533500000 } from './1795533500000-bulk-actions.js';
import { AgentState1795600500000 } from './1795600500000-agent-state.js';
import { Questions1795600600000 } from './1795600600000-questions.js';
import { Callbacks1795600600001 } from './1795600600001-callbacks.js';
import { RunTokens1795926000000 } from './1795926000000-run-tokens.js';
import { ChildrenOfRun1795941500000 } from './1795941500000-children-of-run.js';
import { TurnStates1795954000000 } from './1795954000000-turn-states.js';
import { AnsweredInputRequests1795958000000 } from './1795958000000-answered-input-requests.js';
import { FilesOfRuns1796000200000 } from './1796000200000-files-of-runs.js';
import { RunsOfClients1796000500000 } from './1796000500000-runs-of-clients.js';
import { TurnMessages1796000800000 } from './1796000800000-turn-messages.js';
import { FailedRuns1796001000000 } from './1796001000000-failed-runs.js';
import { ErrorGroups1796001800000 } from './1796001800000-error-groups.js';
import { StatisticsByMode1796002600000 } from './1796002600000-statistics-by-mode.js';

export const runsSchema: LibSchema = {
  baseline: { name: 'RunsBaseline1768000000500', path: join(import.meta.dirname, '1768000000500-runs-baseline.sql') },
  migrations: [
    RunStatistics1795484300000,
    ApprovalLists1795487000000,
    RunChanges1795488000000,
    ChangedRuns1795488000001,
    RunFilters1795488100000,
    ListedRuns1795489000000,
    BulkActions1795533500000,
    AgentState1795600500000,
    Questions1795600600000,
    Callbacks1795600600001,
    RunTokens1795926000000,
    ChildrenOfRun1795941500000,
    TurnStates1795954000000,
    AnsweredInputRequests1795958000000,
    FilesOfRuns1796000200000,
    RunsOfClients1796000500000,
    TurnMessages1796000800000,
    FailedRuns1796001000000,
    ErrorGroups1796001800000,
    StatisticsByMode1796002600000,
  ],
  functions: { name: 'run_machine', path: join(import.meta.dirname, '../sql') },
};
