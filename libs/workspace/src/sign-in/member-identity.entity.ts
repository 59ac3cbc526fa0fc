import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { MemberEntity } from '../member.entity.js';

/**
 * Binds a member to a person at an OIDC provider. The identifier that the provider gives (`subject`) identifies the
 * person, and not the e-mail address.
 */
@Entity('member_identities')
@Unique('member_identities_member_uq', ['workspaceId', 'memberId', 'issuer'])
@Index('member_identities_person_ix', ['issuer', 'subject'])
@ForeignKey(() => MemberEntity, ['workspaceId', 'memberId'], ['workspaceId', 'id'], {
  name: 'member_identities_member_fk',
  onDelete: 'CASCADE',
})
export class MemberIdentityEntity {
  @PrimaryColumn({
    name: 'workspace_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'member_identities_pk',
  })
  workspaceId: string;

  @Column({ name: 'member_id', type: 'text', collation: 'C' })
  memberId: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'member_identities_pk' })
  issuer: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'member_identities_pk' })
  subject: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;
}
