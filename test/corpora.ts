/** Text that has to come back exactly as it was sent. */
export const TEXTS: readonly string[] = [
  'Æøå ÆØÅ',
  '  spaces and\ttabs around  ',
  'line\nbreaks\r\nof every\rkind\u2028and\u2029more\u0085',
  'precomposed é and combining e\u0301',
  '👩‍👩‍👧‍👦 🇳🇴 👍🏽 💩',
  '𐍈 𝒳 𠜎 \u{10FFFF}',
  'right to left: שלום עולם, overrides: \u202Eabc\u202C \u2066x\u2069',
  'zero\u200Bwidth\u200D\u2060\uFEFFmarks',
  'controls \u0001\u0002\u0007\u0008\u001B[31m\u007F\u009F',
  'not characters \uFFFE\uFFFF\uFDD0 and \uFFFD',
  `<script>alert("x")</script>&amp;<b>'bold'</b>`,
  `'; drop table companies; -- $1 \\' \\\\ %s %00 {{7*7}} \${7*7} <%= 7*7 %>`,
  'x\r\nSet-Cookie: a=b\r\n\r\n{"level":60,"msg":"forged"}',
  '\\u0000 \\x00 \\n spelled out',
  '=cmd|/c calc!A0',
  'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘',
];

/** Text that PostgreSQL or UTF-8 cannot hold; JSON can spell all of it. */
export const UNSTORABLE: readonly string[] = [
  'a\u0000b',
  '\u0000',
  'high \uD83D alone',
  'low \uDE00 alone',
  '\uDE00\uD83D the wrong way round',
];

/** Text without a visible character. */
export const BLANK: readonly string[] = ['', ' ', '\t\r\n', '\u00A0\u2003\u3000', '\uFEFF'];

/** One character that takes two units of UTF-16 and four bytes of UTF-8. */
export const ASTRAL = '𝄞';

/** Ids of the form that the API takes, in lower case. */
export const UUIDS: readonly string[] = [
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ...['1', '2', '3', '4', '5', '6', '7', '8'].map(
    (version) => `3f2504e0-4f89-${version}1d3-9a0c-0305e82c3301`,
  ),
  ...['8', '9', 'a', 'b'].map((variant) => `3f2504e0-4f89-41d3-${variant}a0c-0305e82c3301`),
];

/** Ids that are not of that form. */
export const NOT_UUIDS: readonly string[] = [
  'x',
  '1',
  '3f2504e0-4f89-01d3-9a0c-0305e82c3301',
  '3f2504e0-4f89-91d3-9a0c-0305e82c3301',
  '3f2504e0-4f89-f1d3-9a0c-0305e82c3301',
  '3f2504e0-4f89-41d3-7a0c-0305e82c3301',
  '3f2504e0-4f89-41d3-ca0c-0305e82c3301',
  '3f2504e0-4f89-41d3-fa0c-0305e82c3301',
  '3f2504e04f8941d39a0c0305e82c3301',
  '{3f2504e0-4f89-41d3-9a0c-0305e82c3301}',
  'urn:uuid:3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  '3f2504e0-4f89-41d3-9a0c-0305e82c330',
  '3f2504e0-4f89-41d3-9a0c-0305e82c33011',
  '3f2504e0-4f89-41d3-9a0c-0305e82c330g',
  ' 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  '3f2504e0-4f89-41d3-9a0c-0305e82c3301\n',
  '00000000-0000-0000-0000-000000000001',
  'ffffffff-ffff-ffff-ffff-fffffffffffe',
  '٣f2504e0-4f89-41d3-9a0c-0305e82c3301',
];

/** What is sent as a timestamp, and the instant that comes back. */
export const INSTANTS: readonly (readonly [sent: string, shown: string])[] = [
  ['2026-01-15T09:00:00Z', '2026-01-15T09:00:00.000Z'],
  ['2026-01-15T10:00:00+01:00', '2026-01-15T09:00:00.000Z'],
  ['2026-01-15T09:00Z', '2026-01-15T09:00:00.000Z'],
  ['2026-01-15T09:00+00:00', '2026-01-15T09:00:00.000Z'],
  ['2026-01-15T09:00:00-00:00', '2026-01-15T09:00:00.000Z'],
  ['2026-01-15T00:30:00+14:00', '2026-01-14T10:30:00.000Z'],
  ['2026-01-15T23:30:00-12:00', '2026-01-16T11:30:00.000Z'],
  ['2026-01-15T05:45:00+05:45', '2026-01-15T00:00:00.000Z'],
  ['2026-01-15T09:00:00.1Z', '2026-01-15T09:00:00.100Z'],
  ['2026-01-15T09:00:00.123Z', '2026-01-15T09:00:00.123Z'],
  ['2026-01-15T09:00:00.123999Z', '2026-01-15T09:00:00.123Z'],
  ['2026-01-15T23:59:59.999999999Z', '2026-01-15T23:59:59.999Z'],
  ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
  ['2000-02-29T12:00:00Z', '2000-02-29T12:00:00.000Z'],
  // The clocks of Oslo leave out 02:00 to 03:00 that night; with an offset that does not matter.
  ['2026-03-29T02:30:00+01:00', '2026-03-29T01:30:00.000Z'],
  ['2026-10-25T02:30:00+02:00', '2026-10-25T00:30:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['0099-06-15T00:00:00Z', '0099-06-15T00:00:00.000Z'],
  ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
];

/** Text that is not a timestamp with an offset, or not a real date or time. */
export const NOT_INSTANTS: readonly string[] = [
  '',
  'tomorrow',
  '2026-01-15',
  '2026-01-15T09:00:00',
  '2026-01-15T09:00',
  '2026-01-15T09Z',
  '2026-01-15 09:00:00',
  '2026-01-15T09:00:00+0100',
  '2026-01-15T09:00:00+01',
  '2026-01-15T09:00:00 +01:00',
  '2026-01-15T09:00:00+24:00',
  '2026-01-15T09:00:00+01:60',
  '2026-01-15T09:00:00.Z',
  '2026-01-15T09:00:00,5Z',
  '2026-01-15T24:00:00Z',
  '2026-01-15T09:60:00Z',
  '2026-01-15T09:00:61Z',
  '2016-12-31T23:59:60Z',
  '2026-02-29T12:00:00Z',
  '1900-02-29T12:00:00Z',
  '2026-02-30T12:00:00Z',
  '2026-04-31T12:00:00Z',
  '2026-13-01T12:00:00Z',
  '2026-00-10T12:00:00Z',
  '2026-01-00T12:00:00Z',
  '0000-01-01T00:00:00Z',
  '10000-01-01T00:00:00Z',
  '+002026-01-15T09:00:00Z',
  '-0001-01-01T00:00:00Z',
  '2026-W03-4T09:00:00Z',
  '2026-015T09:00:00Z',
  '20260115T090000Z',
  '2026-01-15T09:00:00Z[Europe/Oslo]',
  ' 2026-01-15T09:00:00Z',
  '2026-01-15T09:00:00Z\n',
  '1768467600',
  'infinity',
  'now',
];

/** Addresses that HTML's email input takes, an asterisk among them. */
export const EMAILS: readonly string[] = [
  'a@b',
  'kari.nordmann+crm@example.no',
  'KARI@EXAMPLE.NO',
  'sales*@example.no',
  `!#$%&'*+/=?^_{|}~-@example.no`,
  `${'a'.repeat(241)}@example.nooo`,
];

/** Addresses that HTML's email input refuses, and one that is a character too long. */
export const NOT_EMAILS: readonly string[] = [
  '',
  'kari',
  'kari@',
  '@example.no',
  'kari@example .no',
  'kari nordmann@example.no',
  'kari@@example.no',
  'Kari <kari@example.no>',
  '"kari"@example.no',
  'kari@-example.no',
  'kari@example-.no',
  'kari@example..no',
  'kari@[127.0.0.1]',
  'kåre@example.no',
  'kari@eksempelø.no',
  'kari@example.no\n',
  ' kari@example.no',
  'kari@example.no, ola@example.no',
  `kari@${'a'.repeat(64)}.no`,
  `${'a'.repeat(242)}@example.nooo`,
];

/** Values of every JSON type. */
export const ANY_TYPE: readonly unknown[] = [null, true, 5, 1.5, 'text', ['text'], [], {}, { a: 1 }];
