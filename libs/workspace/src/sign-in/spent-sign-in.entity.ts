import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The row is kept until the state would have expired, so that the state cannot be used again. */
@Entity('spent_sign_ins')
@Index('spent_sign_ins_expiry_ix', ['expiresAt'])
export class SpentSignInEntity {
  @PrimaryColumn({ type: 'bytea', primaryKeyConstraintName: 'spent_sign_ins_pk' })
  hash: Buffer;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}
