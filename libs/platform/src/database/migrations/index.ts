import { Foundation1763700000000 } from './1763700000000-foundation.js';
import { Approvals1763800000000 } from './1763800000000-approvals.js';
import { EmergencyStop1763810000000 } from './1763810000000-emergency-stop.js';
import { Secrets1763900000000 } from './1763900000000-secrets.js';
import { LeanJournal1764000000100 } from './1764000000100-lean-journal.js';
import { StopDrain1764000000200 } from './1764000000200-stop-drain.js';
import { ModelCosts1764100000100 } from './1764100000100-model-costs.js';
import { DescribedTools1764200000100 } from './1764200000100-described-tools.js';
import { ChildRuns1764200000200 } from './1764200000200-child-runs.js';
import { Usage1764300000000 } from './1764300000000-usage.js';
import { Evaluations1764400000000 } from './1764400000000-evaluations.js';
import { Triggers1764500000000 } from './1764500000000-triggers.js';
import { MailboxWatches1764700000000 } from './1764700000000-mailbox-watches.js';
import { Webhooks1764600000000 } from './1764600000000-webhooks.js';
import { KnowledgeBases1764800000000 } from './1764800000000-knowledge-bases.js';
import { KnowledgeSources1764900000000 } from './1764900000000-knowledge-sources.js';
import { PageLinks1764900000100 } from './1764900000100-page-links.js';
import { KnowledgeDocuments1765000000000 } from './1765000000000-knowledge-documents.js';
import { ListsOfRuns1765300000100 } from './1765300000100-lists-of-runs.js';
import { Embeddings1766000000000 } from './1766000000000-embeddings.js';
import { VectorExtension1766000000100 } from './1766000000100-vector-extension.js';
import { CallerBudgets1765200000000 } from './1765200000000-caller-budgets.js';
import { Judgements1765200000100 } from './1765200000100-judgements.js';
import { TracesOfRuns1766200000000 } from './1766200000000-traces-of-runs.js';
import { ForgottenTraces1766200000100 } from './1766200000100-forgotten-traces.js';
import { WebhookClaims1766300000000 } from './1766300000000-webhook-claims.js';
import { MonthlyPartitions1766500000000 } from './1766500000000-monthly-partitions.js';
import { OneCheckPerRow1766600000000 } from './1766600000000-one-check-per-row.js';
import { FormerSecrets1766700000000 } from './1766700000000-former-secrets.js';
import { RunWarnings1767003000000 } from './1767003000000-run-warnings.js';
import { MailboxGrants1767006000100 } from './1767006000100-mailbox-grants.js';
import { KeptRuns1767020000000 } from './1767020000000-kept-runs.js';
import { SkippedItems1767006000200 } from './1767006000200-skipped-items.js';
import { ReaderVersion1767010000100 } from './1767010000100-reader-version.js';
import { SourceAuthorizations1766100000000 } from './1766100000000-source-authorizations.js';

/** Every migration, in order. An explicit list: a file that is not named here does not run, and none runs by accident. */
export const MIGRATIONS = [
  Foundation1763700000000,
  Approvals1763800000000,
  EmergencyStop1763810000000,
  Secrets1763900000000,
  LeanJournal1764000000100,
  StopDrain1764000000200,
  ModelCosts1764100000100,
  DescribedTools1764200000100,
  ChildRuns1764200000200,
  Usage1764300000000,
  Evaluations1764400000000,
  Triggers1764500000000,
  Webhooks1764600000000,
  MailboxWatches1764700000000,
  KnowledgeBases1764800000000,
  KnowledgeSources1764900000000,
  PageLinks1764900000100,
  KnowledgeDocuments1765000000000,
  ListsOfRuns1765300000100,
  CallerBudgets1765200000000,
  Judgements1765200000100,
  Embeddings1766000000000,
  VectorExtension1766000000100,
  SourceAuthorizations1766100000000,
  TracesOfRuns1766200000000,
  ForgottenTraces1766200000100,
  WebhookClaims1766300000000,
  MonthlyPartitions1766500000000,
  OneCheckPerRow1766600000000,
  FormerSecrets1766700000000,
  RunWarnings1767003000000,
  MailboxGrants1767006000100,
  SkippedItems1767006000200,
  ReaderVersion1767010000100,
  KeptRuns1767020000000,
];
