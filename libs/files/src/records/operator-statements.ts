/** `$1`: the marker of the storage that a restored database gets, or null if the storage has none yet. */
export const ADOPT_STORAGE = `
  insert into public.file_storage (installation_id, marked_at)
    values (coalesce($1::text, gen_random_uuid()::text), case when $1 is not null then clock_timestamp() end)
  on conflict on constraint file_storage_pk do update
    set installation_id = coalesce($1, file_storage.installation_id), marked_at = excluded.marked_at`;

/** `$1`: the time before which the sweep keeps bytes, because a former database may have their rows. Null: no time. */
export const SPARE_FORMER_FILES = `insert into file_storage (spared_before) values ($1)
  on conflict on constraint file_storage_pk do update set spared_before = excluded.spared_before`;
