import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The row is kept until the state would have expired, so that the state cannot be used again. */
@Entity('spent_sign_ins')
export class SpentSignInEntity {
  @PrimaryColumn({ type: 'bytea' })
  hash: Buffer;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}
