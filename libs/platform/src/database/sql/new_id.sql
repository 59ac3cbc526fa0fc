-- Creates an id `<prefix>_<26 chars>` as libs/kernel does: a UUIDv7 in lower-case Crockford base32 (TypeID encoding).
create or replace function platform.new_id(p_prefix text) returns text
language plpgsql volatile as $$
declare
  -- The end of a random UUID of version 4 contains the variant, which has the same position in version 7.
  v_random constant text := encode(uuid_send(gen_random_uuid()), 'hex');
  -- The first 64 bits: the time in milliseconds, the version 7, and 12 random bits.
  v_head constant bigint := (floor(date_part('epoch', clock_timestamp()) * 1000)::bigint << 16) | 28672
    | ('x' || substr(v_random, 14, 3))::bit(12)::integer;
  v_tail constant bigint := ('x' || substr(v_random, 17, 16))::bit(64)::bigint;
begin
  -- 26 digits have 130 bits, so the first digit has three bits.
  return p_prefix || '_' || substr(platform.base32(v_head >> 56), 11, 2) || platform.base32((v_head << 4) | ((v_tail >> 60) & 15))
    || platform.base32(v_tail);
end $$;

-- Returns the last 60 bits as 12 digits. One expression is faster than a loop.
create or replace function platform.base32(p_bits bigint) returns text
language plpgsql immutable as $$
declare
  v_digits constant bytea := '0123456789abcdefghjkmnpqrstvwxyz';
begin
  return chr(get_byte(v_digits, ((p_bits >> 55) & 31)::integer)) || chr(get_byte(v_digits, ((p_bits >> 50) & 31)::integer))
    || chr(get_byte(v_digits, ((p_bits >> 45) & 31)::integer)) || chr(get_byte(v_digits, ((p_bits >> 40) & 31)::integer))
    || chr(get_byte(v_digits, ((p_bits >> 35) & 31)::integer)) || chr(get_byte(v_digits, ((p_bits >> 30) & 31)::integer))
    || chr(get_byte(v_digits, ((p_bits >> 25) & 31)::integer)) || chr(get_byte(v_digits, ((p_bits >> 20) & 31)::integer))
    || chr(get_byte(v_digits, ((p_bits >> 15) & 31)::integer)) || chr(get_byte(v_digits, ((p_bits >> 10) & 31)::integer))
    || chr(get_byte(v_digits, ((p_bits >> 5) & 31)::integer)) || chr(get_byte(v_digits, (p_bits & 31)::integer));
end $$;
