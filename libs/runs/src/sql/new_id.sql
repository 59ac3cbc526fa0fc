-- An id `<prefix>_<26 chars>`, made as libs/kernel makes them: a UUIDv7 in lower-case Crockford base32 (TypeID encoding).
create or replace function run_machine.new_id(p_prefix text) returns text
language plpgsql volatile as $$
declare
  alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  bytes bytea := uuid_send(gen_random_uuid());
  millis bigint := floor(extract(epoch from clock_timestamp()) * 1000);
  high bigint;
  low bigint;
  suffix text := '';
  v_bits numeric;
begin
  bytes := set_byte(bytes, 6, (get_byte(bytes, 6) & 15) | 112);
  high := (('x' || encode(substring(bytes from 7 for 2), 'hex'))::bit(16))::integer;
  low := (('x' || encode(substring(bytes from 9 for 8), 'hex'))::bit(64))::bigint;
  v_bits := (millis::numeric * 65536 + high) * 18446744073709551616
    + case when low < 0 then low::numeric + 18446744073709551616 else low::numeric end;
  for i in 1..26 loop
    suffix := substr(alphabet, (v_bits % 32)::integer + 1, 1) || suffix;
    v_bits := div(v_bits, 32);
  end loop;
  return p_prefix || '_' || suffix;
end $$;
