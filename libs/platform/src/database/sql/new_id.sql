-- Creates an id `<prefix>_<26 chars>` as libs/kernel does: a UUIDv7 in lower-case Crockford base32 (TypeID encoding).
create or replace function platform.new_id(p_prefix text) returns text
language plpgsql volatile as $$
declare
  alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  random text := replace(gen_random_uuid()::text, '-', '');
  -- The UUIDv7 in hexadecimal: the time, the version digit 7, and the end of a random UUID of version 4. That end
  -- contains the variant, which has the same position in both versions.
  hex text := lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7' || substr(random, 14);
  part bigint := ('x' || lpad(substr(hex, 1, 2), 16, '0'))::bit(64)::bigint;
  id text := p_prefix || '_' || substr(alphabet, (part >> 5)::integer + 1, 1) || substr(alphabet, (part & 31)::integer + 1, 1);
begin
  -- The first 8 of the 128 bits are encoded above. The other 120 form two parts, because a bigint has 64 bits.
  foreach part in array array[('x0' || substr(hex, 3, 15))::bit(64)::bigint, ('x0' || substr(hex, 18, 15))::bit(64)::bigint] loop
    for shift in reverse 55..0 by 5 loop
      id := id || substr(alphabet, ((part >> shift) & 31)::integer + 1, 1);
    end loop;
  end loop;
  return id;
end $$;
