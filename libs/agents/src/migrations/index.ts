import { join } from 'node:path';
import type { LibSchema } from '@app/platform/database';
import { AgentProjects1795484100000 } from './1795484100000-agent-projects.js';
import { AgentsOfProject1795484100001 } from './1795484100001-agents-of-project.js';
import { VersionsOfWorkspace1795487100001 } from './1795487100001-versions-of-workspace.js';
import { DraftAgents1795489300000 } from './1795489300000-draft-agents.js';
import { DueDraftAgents1795489300001 } from './1795489300001-due-draft-agents.js';
import { KeysOfDrafts1795955200001 } from './1795955200001-keys-of-drafts.js';
import { DraftsByKey1795955200002 } from './1795955200002-drafts-by-key.js';
import { ExposedAgents1795956000000 } from './1795956000000-exposed-agents.js';
import { ToolsOfWorkspace1795956000001 } from './1795956000001-tools-of-workspace.js';
import { FixturesOfEvaluation1796500200001 } from './1796500200001-fixtures-of-evaluation.js';
import { AgentChanges1796600000000 } from './1796600000000-agent-changes.js';
import { ChangedAgents1796600000001 } from './1796600000001-changed-agents.js';

export const agentsSchema: LibSchema = {
  baseline: {
    name: 'AgentsBaseline1768000000300',
    path: join(import.meta.dirname, '1768000000300-agents-baseline.sql'),
  },
  migrations: [
    AgentProjects1795484100000,
    AgentsOfProject1795484100001,
    VersionsOfWorkspace1795487100001,
    DraftAgents1795489300000,
    DueDraftAgents1795489300001,
    KeysOfDrafts1795955200001,
    DraftsByKey1795955200002,
    ExposedAgents1795956000000,
    ToolsOfWorkspace1795956000001,
    FixturesOfEvaluation1796500200001,
    AgentChanges1796600000000,
    ChangedAgents1796600000001,
  ],
  functions: { name: 'agents', path: join(import.meta.dirname, '../sql') },
};
