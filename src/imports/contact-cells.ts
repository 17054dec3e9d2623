import { contactUpdate, pointCreate, type Link, type Point, type PointCreate } from '../contacts/schema.ts';
import { oneLine } from '../csv/columns.ts';
import { Reader, type Given } from './cells.ts';

/** A contact as a row describes it. */
export type WantedContact = {
  id: string | undefined;
  name: string | undefined;
  notes: string | undefined;
  points: { type: Point['type']; line: string }[];
  links: { orgnr: string; role: string | undefined }[];
};

/** The fields whose columns hold contact details, each of the type of that name. */
const POINT_TYPES = ['email', 'mobile', 'telephone', 'other'] as const;

export function readContact(reader: Reader): WantedContact {
  const id = reader.id();
  const name = reader.text('name', contactUpdate.shape.name.unwrap());
  const notes = reader.text('notes', contactUpdate.shape.notes.unwrap());
  const points = POINT_TYPES.flatMap((type) =>
    reader.lines(type).flatMap((line) => (line === '' ? [] : { type, line })),
  );
  return { id, name, notes, points, links: readLinks(reader) };
}

/** The email addresses of a row, in lower case for comparison. */
export function emailsIn(row: Given): string[] {
  const lines = new Reader(row).lines('email');
  return [...new Set(lines.filter((line) => line !== '').map((line) => line.toLowerCase()))];
}

/** A key that is equal for details that mean the same, such as an address in capitals or a number without +47. */
export function keyOf(type: Point['type'], line: string): string {
  const text = line.toLowerCase();
  if (type === 'email') return `email ${text}`;
  // Labels may contain colons, too. Blanks after colons are ignored, so that a line equals the detail read from it.
  if (type === 'other') return `other ${text.replaceAll(/:\s/g, ':')}`;
  const digits = text.replaceAll(/[^0-9+]/g, '').replace(/^(\+47|0047)/, '');
  return `telephone ${digits === '' ? text : digits}`;
}

/** The new role of an existing link; undefined if the row has none, or the same. */
export function changedRole(link: Link, role: string | undefined): string | undefined {
  if (role === undefined || role === '') return undefined;
  return role === oneLine(link.role ?? '') ? undefined : role;
}

/** The detail that a line describes; undefined if it is refused. */
export function readPoint(
  reader: Reader,
  type: Point['type'],
  line: string,
): Required<PointCreate> | undefined {
  // Exports write a colon and a blank after the label, which may itself contain colons; people may leave out the blank.
  const other = () => /^(.+?):\s(.+)$/.exec(line) ?? /^(.+?):(.+)$/.exec(line) ?? [];
  const [, label = '', value = ''] = type === 'other' ? other() : [0, '', line];
  const point = { type, label, value };
  const checked = pointCreate.safeParse(point);
  if (checked.success) return point;
  const fields = new Set(checked.error.issues.map(({ path }) => path[0]));
  if (type === 'email') reader.refuse(type, 'invalid_email');
  else if (type === 'other' && fields.has('label') && label === '') reader.refuse(type, 'label_missing');
  else reader.refuse(type, 'too_long');
  return undefined;
}

function readLinks(reader: Reader): WantedContact['links'] {
  const roles = reader.lines('role');
  const links = reader.lines('company').flatMap((line, index) => {
    const orgnr = line === '' ? undefined : reader.orgnrOf('company', line);
    const role = roles[index] === '' ? undefined : roles[index];
    return orgnr === undefined ? [] : [{ orgnr, role }];
  });
  if (roles.some((role) => role.length > 255)) reader.refuse('role', 'too_long');
  return links;
}
