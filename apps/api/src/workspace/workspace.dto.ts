import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { API_KEY_KINDS, type ApiKeyKind } from '@app/platform/crypto';
import { QUEUED_RUNS, type QueuedRuns } from '@app/runs';
import { type Role, ROLES, type Scope, SCOPES } from '@app/workspace';
import { Optional } from '../http/request-validation.js';
import { LONGEST_REASON } from './emergency-stop.dto.js';

export class MeKey {
  @ApiProperty({ example: 'key_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty({ enum: API_KEY_KINDS })
  kind: ApiKeyKind;

  @ApiProperty()
  name: string;
}

export class MeWorkspace {
  @ApiProperty({ example: 'wsp_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty()
  name: string;
}

export class Me {
  @ApiProperty({ description: 'E-mail address.', example: 'ada@example.com' })
  member: string;

  @ApiProperty({ enum: ROLES, description: "The weaker of the member's and the key's role." })
  role: Role;

  @ApiProperty({ enum: SCOPES, isArray: true, description: 'What this key may do.' })
  scopes: Scope[];

  @ApiProperty({ type: MeKey })
  key: MeKey;

  @ApiProperty({ type: MeWorkspace })
  workspace: MeWorkspace;
}

export const WORKSPACE_STATUSES = ['active', 'stopped'] as const;

@ApiSchema({ name: 'Workspace' })
export class WorkspaceResource {
  @ApiProperty({ example: 'wsp_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty()
  name: string;

  @ApiProperty({ enum: WORKSPACE_STATUSES })
  status: (typeof WORKSPACE_STATUSES)[number];

  @ApiProperty({ type: 'integer', description: 'Rises at every stop and at every resume.' })
  epoch: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  stopped_at: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'E-mail address.' })
  stopped_by: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why it was stopped.' })
  reason: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

export class ResumeWorkspaceBody {
  @ApiPropertyOptional({ type: String, maxLength: LONGEST_REASON, description: 'Kept in the audit log.' })
  @Optional()
  @MaxLength(LONGEST_REASON)
  @IsString()
  reason?: string;

  @ApiPropertyOptional({
    enum: QUEUED_RUNS,
    default: 'resume',
    description: 'What becomes of runs that had not begun.',
  })
  @Optional()
  @IsIn(QUEUED_RUNS)
  queued_runs: QueuedRuns = 'resume';
}
